import { Unavailable, type Embedding, type EmbeddingKind } from '@palimpsest/knowledge';

import { EmbeddingCall } from './embedding-call.ts';
import { Lane } from './lane.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

/** One text of a call; `deaths` counts the workers that died over it. */
type Job = { readonly call: EmbeddingCall; readonly index: number; deaths: number };

/** What a worker is given. */
export type Takes = 'anything' | 'queries';

const MAX_DEATHS = 2;

/** Texts that a worker is given at once: the one that it is at, and what it finds when it is through, without waiting for this thread. */
const MOST_HELD: Readonly<Record<EmbeddingKind, number>> = { query: 4, passage: 2 };

/** How long one takes, roughly: a passage has many times a query's words. */
const EFFORT: Readonly<Record<EmbeddingKind, number>> = { query: 1, passage: 10 };

/** After a worker failed to start while others work, so that starting is not tried with every text. */
const START_AGAIN_AFTER_MS = 1000;

/**
 * Spreads texts over workers, each of which is at one text and has the next at hand. A query goes before every waiting passage: somebody
 * is looking at a screen; one worker takes nothing but queries, started by `warmUp` or by the first query that finds all others at passages. Other workers are
 * started when there is work for them, at most `threads`; one that dies is replaced and its texts are tried once more, each alone with a worker, so
 * that only the one that kills is given up.
 */
export class Dispatcher {
  readonly #startWorker: (takes: Takes) => TextWorker;
  readonly #threads: number;
  readonly #lanes: Readonly<Record<EmbeddingKind, Lane<Job>>> = { query: new Lane(), passage: new Lane() };
  readonly #workers = new Set<TextWorker>();
  /** Of the workers that are ready: what they have. */
  readonly #held = new Map<TextWorker, Set<Job>>();
  readonly #calls = new Set<EmbeddingCall>();
  /** The one for queries; it does not count among the threads. */
  #reserved: TextWorker | undefined;
  #starting = 0;
  #noStartBefore = 0;
  #closed = false;

  constructor(startWorker: (takes: Takes) => TextWorker, threads: number) {
    this.#startWorker = startWorker;
    this.#threads = threads;
  }

  /**
   * Resolves when a first worker is ready; rejects when it cannot start. `queries`: then the one for queries is on its way, too,
   * so that no query waits for its start in the midst of passages.
   */
  async warmUp({ queries = false }: Readonly<{ queries?: boolean }> = {}): Promise<void> {
    await this.#start();
    if (queries) this.#startReserved();
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
    await Promise.all([...this.#workers, ...(this.#reserved === undefined ? [] : [this.#reserved])].map((worker) => worker.close()));
  }

  #dispatch(): void {
    for (const kind of ['query', 'passage'] as const)
      for (let job = this.#next(kind); job !== undefined; job = this.#next(kind)) {
        const worker = this.#roomFor(job);
        if (kind === 'query' && (worker === undefined || effortOf(this.#held.get(worker)) >= EFFORT.passage)) this.#reserve();
        if (worker === undefined) break;
        this.#lanes[kind].take();
        void this.#work(worker, job);
      }
    const waiting = this.#lanes.query.length + this.#lanes.passage.length;
    const wanted = Math.min(waiting - this.#starting, this.#mayStart() ? this.#threads - this.#workers.size : 0);
    for (let i = 0; i < wanted; i++) this.#start().catch((error: unknown) => this.#startFailed(error));
  }

  /** Texts of calls that nobody waits for any more are left out. */
  #next(kind: EmbeddingKind): Job | undefined {
    const lane = this.#lanes[kind];
    while (lane.next?.call.settled) lane.take();
    return lane.next;
  }

  /** The worker that has least to do, if it may be given this one; with others on their way, none is given a second text. */
  #roomFor({ call, deaths }: Job): TextWorker | undefined {
    const most = deaths > 0 || this.#mayGrow() ? 1 : MOST_HELD[call.kind];
    let best: TextWorker | undefined;
    let least = Infinity;
    for (const [worker, held] of this.#held) {
      const isOpen = held.size < most && (worker !== this.#reserved || call.kind === 'query') && ![...held].some((job) => job.deaths > 0);
      if (!isOpen || effortOf(held) >= least) continue;
      best = worker;
      least = effortOf(held);
    }
    return best;
  }

  #reserve(): void {
    if (!this.#mayGrow()) this.#startReserved();
  }

  /** Nothing waits for it: what asked for it has its place already. */
  #startReserved(): void {
    if (this.#reserved !== undefined || !this.#mayStart()) return;
    const worker = this.#startWorker('queries');
    this.#reserved = worker;
    void worker.gone.then(() => this.#forget(worker));
    worker.ready.then(
      () => (this.#held.set(worker, new Set()), this.#dispatch()),
      () => {
        this.#noStartBefore = Date.now() + START_AGAIN_AFTER_MS;
        this.#forget(worker);
        void worker.close();
      },
    );
  }

  async #work(worker: TextWorker, job: Job): Promise<void> {
    const { call, index } = job;
    this.#held.get(worker)?.add(job);
    try {
      call.answer(index, await worker.embed(call.texts[index] ?? '', call.kind));
    } catch (error) {
      if (error instanceof WorkerDied) {
        this.#forget(worker);
        this.#tryAgain(job, error);
      } else call.fail(error);
    }
    this.#held.get(worker)?.delete(job);
    this.#dispatch();
  }

  #tryAgain(job: Job, death: WorkerDied): void {
    if (++job.deaths < MAX_DEATHS) this.#lanes[job.call.kind].putBack(job);
    else job.call.fail(new Unavailable(`${job.deaths} workers died over the same text: ${death.message}`, { cause: death }));
  }

  #mayStart(): boolean {
    return !this.#closed && (this.#workers.size === 0 || Date.now() >= this.#noStartBefore);
  }

  #mayGrow(): boolean {
    return this.#starting > 0 || (this.#workers.size < this.#threads && this.#mayStart());
  }

  async #start(): Promise<void> {
    const worker = this.#startWorker('anything');
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
    this.#held.set(worker, new Set());
    this.#dispatch();
  }

  #startFailed(error: unknown): void {
    this.#noStartBefore = Date.now() + START_AGAIN_AFTER_MS;
    if (this.#workers.size === 0) this.#failAll(error);
  }

  #forget(worker: TextWorker): void {
    this.#workers.delete(worker);
    this.#held.delete(worker);
    if (worker === this.#reserved) this.#reserved = undefined;
  }

  #failAll(error: unknown): void {
    for (const call of this.#calls) call.fail(error);
  }
}

const closed = (): Unavailable => new Unavailable('the embedding provider is closed');

const effortOf = (held: ReadonlySet<Job> | undefined): number => [...(held ?? [])].reduce((sum, { call }) => sum + EFFORT[call.kind], 0);
