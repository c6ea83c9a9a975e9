import { EventEmitter } from 'node:events';
import { MessageChannel, Worker as Thread, type MessagePort } from 'node:worker_threads';

export type Boarder = Readonly<{ script: string; port: MessagePort; workerData: unknown }>;

let host: Thread | undefined;
let boarders = 0;

/**
 * Stands in for the `Worker` of the adapters: their threads, four for the stores and one for words, live together in one. To start a thread takes
 * 30 ms of CPU time, half of a start of the engine in all. What is done beside what changes with it, what is written does not.
 */
class BoarderThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(script: URL, { workerData }: Readonly<{ workerData?: unknown }> = {}) {
    super();
    host ??= new Thread(new URL('./thread-host.js', import.meta.url));
    host.unref();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1.on('message', (message) => this.emit('message', message)).on('close', () => this.emit('exit', 0));
    host.once('error', (error) => this.emit('error', error));
    host.postMessage({ script: `${script.href}?${(boarders += 1)}`, port: port2, workerData } satisfies Boarder, [port2]);
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

/** Each has a thread of its own, as in the platform, or not. */
export const Worker = process.env['PALIMPSEST_CRASH_THREADS'] === 'own' ? Thread : BoarderThread;
