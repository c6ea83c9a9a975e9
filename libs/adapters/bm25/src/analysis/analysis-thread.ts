import { Worker } from 'node:worker_threads';
import type { AnalysedPut } from '../partition/chunk-record.ts';
import type { EncodedRecords } from '../storage/batch.ts';

export type AnalysisRequest = Readonly<{ call: number; puts: readonly AnalysedPut[] }>;
export type AnalysisAnswer = Readonly<{ call: number; records: EncodedRecords }>;

type Waiting = Readonly<{ resolve: (records: EncodedRecords) => void; reject: (error: unknown) => void }>;

/** The main thread's side of the analysis thread. The thread keeps the process alive only while it is working. */
export class AnalysisThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #isGone = false;

  constructor() {
    const fromSource = import.meta.url.endsWith('.ts');
    this.#worker = new Worker(new URL(fromSource ? './analysis-worker.ts' : './analysis-worker.js', import.meta.url), {
      name: 'bm25-analysis',
      execArgv: fromSource ? ['--conditions=@palimpsest/source'] : [],
    });
    this.#worker.on('message', (answer: AnalysisAnswer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the analysis thread has ended')));
    this.#worker.unref();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Rejects when the thread dies; the texts may or may not be the cause. */
  analyse(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    if (this.#isGone) return Promise.reject(new Error('the analysis thread has ended'));
    const call = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ call, puts } satisfies AnalysisRequest);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #take({ call, records }: AnalysisAnswer): void {
    this.#waiting.get(call)?.resolve(records);
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #lose(error: unknown): void {
    this.#isGone = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
