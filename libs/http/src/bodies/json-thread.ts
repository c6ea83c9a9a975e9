import { Worker } from 'node:worker_threads';
import type { ParsedJson } from './parse-json.ts';

type Waiting = Readonly<{ resolve: (parsed: ParsedJson) => void; reject: (error: Error) => void }>;

/** Parses large JSON texts sequentially in a worker thread. The thread starts with the first text and does not keep the process alive. */
export class JsonThread {
  #worker: Worker | undefined;
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Transfers the bytes: the caller can no longer use them. */
  parse(bytes: Uint8Array<ArrayBuffer>, names: number): Promise<ParsedJson> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#next++;
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, bytes, names }, [bytes.buffer]);
    });
  }

  #start(): Worker {
    const fromSource = import.meta.url.endsWith('.ts');
    const worker = new Worker(new URL(fromSource ? './json-worker.ts' : './json-worker.js', import.meta.url), {
      execArgv: fromSource ? ['--conditions=@palimpsest/source'] : [],
      name: 'json',
    });
    worker.on('message', ({ id, parsed }: Readonly<{ id: number; parsed: ParsedJson }>) => {
      this.#waiting.get(id)?.resolve(parsed);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    });
    // Pending texts fail; the next text starts a new thread.
    worker.on('error', (error: Error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('the JSON parser thread ended')));
    return worker;
  }

  #end(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
