import { Unavailable, type Embedding, type EmbeddingKind } from '@palimpsest/knowledge';

import { EmbeddingCall } from './embedding-call.ts';
import { Lane } from './lane.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

/** One text of a call; `deaths` counts the workers that died over it. */
type Job = { readonly call: EmbeddingCall; readonly index: number; deaths: number };

const MAX_DEATHS = 2;

/** After a worker failed to start while others work, so that starting is not tried with every text. */
const START_AGAIN_AFTER_MS = 1000;

/**
 * Spreads texts over workers, each of which has one text at a time. A query goes before every waiting passage: somebody
 * is looking at a screen. Workers are started when there is work for them, at most `threads`; one that dies is replaced
 * and its text tried once more.
 */
export class Dispatcher {
  readonly #startWorker: () => TextWorker;
  readonly #threads: number;
  readonly #lanes: Readonly<Record<EmbeddingKind, Lane<Job>>> = { query: new Lane(), passage: new Lane() };
  readonly #workers = new Set<TextWorker>();
  readonly #idle: TextWorker[] = [];
  readonly #calls = new Set<EmbeddingCall>();
  #starting = 0;
  #noStartBefore = 0;
  #closed = false;

  constructor(startWorker: () => TextWorker, threads: number) {
    this.#startWorker = startWorker;
    this.#threads = threads;
  }

  /** Resolves when a first worker is ready; rejects when it cannot start. */
  async warmUp(): Promise<void> {
    await this.#start();
  }

  /** @throws Unavailable when no worker can be started, or two died over the same text, or after `close` */
  async embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]> {
    if (this.#closed) throw closed();
    const call = new EmbeddingCall(texts, kind, signal);
    if (!call.settled) {
      this.#calls.add(call);
      for (const index of texts.keys()) this.#lanes[kind].push({ call, index, deaths: 0 });
      this.#dispatch();
    }
    return call.result.finally(() => this.#calls.delete(call));
  }

  /** Ends the workers when they have finished the text that they are at. What else waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(closed());
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  #dispatch(): void {
    while (this.#idle.length > 0) {
      const job = this.#nextJob();
      if (job === undefined) return;
      void this.#work(this.#idle.pop() as TextWorker, job);
    }
    const waiting = this.#lanes.query.length + this.#lanes.passage.length;
    const wanted = Math.min(waiting - this.#starting, this.#mayStart() ? this.#threads - this.#workers.size : 0);
    for (let i = 0; i < wanted; i++) this.#start().catch((error: unknown) => this.#startFailed(error));
  }

  /** Texts of calls that nobody waits for any more are left out. */
  #nextJob(): Job | undefined {
    for (const lane of [this.#lanes.query, this.#lanes.passage])
      while (lane.length > 0) {
        const job = lane.take();
        if (job !== undefined && !job.call.settled) return job;
      }
    return undefined;
  }

  async #work(worker: TextWorker, job: Job): Promise<void> {
    const { call, index } = job;
    try {
      call.answer(index, await worker.embed(call.texts[index] ?? '', call.kind));
      this.#idle.push(worker);
    } catch (error) {
      if (error instanceof WorkerDied) {
        this.#forget(worker);
        this.#tryAgain(job, error);
      } else {
        call.fail(error);
        this.#idle.push(worker);
      }
    }
    this.#dispatch();
  }

  #tryAgain(job: Job, death: WorkerDied): void {
    if (++job.deaths < MAX_DEATHS) this.#lanes[job.call.kind].putBack(job);
    else job.call.fail(new Unavailable(`${job.deaths} workers died over the same text: ${death.message}`, { cause: death }));
  }

  #mayStart(): boolean {
    return !this.#closed && (this.#workers.size === 0 || Date.now() >= this.#noStartBefore);
  }

  async #start(): Promise<void> {
    const worker = this.#startWorker();
    this.#workers.add(worker);
    this.#starting++;
    void worker.gone.then(() => this.#forget(worker));
    try {
      await worker.ready;
    } catch (error) {
      this.#forget(worker);
      void worker.close();
      throw error;
    } finally {
      this.#starting--;
    }
    this.#idle.push(worker);
    this.#dispatch();
  }

  #startFailed(error: unknown): void {
    this.#noStartBefore = Date.now() + START_AGAIN_AFTER_MS;
    if (this.#workers.size === 0) this.#failAll(error);
  }

  #forget(worker: TextWorker): void {
    this.#workers.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #failAll(error: unknown): void {
    for (const call of this.#calls) call.fail(error);
  }
}

const closed = (): Unavailable => new Unavailable('the embedding provider is closed');
