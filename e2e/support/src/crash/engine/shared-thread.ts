import { EventEmitter } from 'node:events';
import { MessageChannel, Worker as Thread, type MessagePort } from 'node:worker_threads';

export type HostedScript = Readonly<{ script: string; port: MessagePort; workerData: unknown }>;

let host: Thread | undefined;
let hostedScripts = 0;

/**
 * Replaces the `Worker` of the adapters: their threads, four for the stores and one for text analysis, share one thread. Starting a
 * thread takes 30 ms of CPU time, together half of a start of the engine. It changes what runs in parallel, but not what is written.
 */
class HostedThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(script: URL, { workerData }: Readonly<{ workerData?: unknown }> = {}) {
    super();
    host ??= new Thread(new URL('./thread-host.js', import.meta.url));
    host.unref();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1.on('message', (message) => this.emit('message', message)).on('close', () => this.emit('exit', 0));
    host.once('error', (error) => this.emit('error', error));
    host.postMessage({ script: `${script.href}?${(hostedScripts += 1)}`, port: port2, workerData } satisfies HostedScript, [port2]);
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }

  async terminate(): Promise<number> {
    this.#port.close();
    return 0;
  }
}

/** With `own`, each script has its own thread, as in the platform. */
export const Worker = process.env['PALIMPSEST_CRASH_THREADS'] === 'own' ? Thread : HostedThread;
