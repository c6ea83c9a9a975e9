import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding, EmbeddingKind } from '@palimpsest/knowledge/ports';

import { EmbeddingCall } from './embedding-call.ts';
import { Lane } from './lane.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

/** One text of a call; `crashes` counts the workers that crashed while they had it. */
type Job<Text, Answer> = { readonly call: EmbeddingCall<Text, Answer>; readonly index: number; crashes: number };

/** Which texts a worker accepts. */
export type Takes = 'anything' | 'queries';

const MAX_CRASHES = 2;

/** Maximum number of texts that a worker has: the current one, and the next ones, so that it need not wait for this thread. */
const MAX_HELD: Readonly<Record<EmbeddingKind, number>> = { query: 4, passage: 2, background: 2 };

/** Approximate relative cost: a passage has many times the words of a query. */
const EFFORT: Readonly<Record<EmbeddingKind, number>> = { query: 1, passage: 10, background: 10 };

/** Passages that may overtake a waiting background text, so that it is late but never stuck. */
const MAX_OVERTAKING = 7;

/** Pause after a worker failed to start while others work, so that not every text causes another attempt. */
const RESTART_PAUSE_MS = 1000;

/**
 * Distributes texts to workers. Each worker has its current and its next text. Queries are dispatched before all waiting passages, because
 * a user is waiting for them, and passages before background texts. One worker only accepts queries; it is started by `warmUp` or by the first query that finds all others busy
 * with passages. Other workers are started when there is work for them, at most `threads`. A worker that crashes is replaced, and its texts
 * are retried once, each alone with a worker, so that only the text that causes the crash fails.
 */
export class Dispatcher<Text = string, Answer = Embedding> {
  readonly #startWorker: (takes: Takes) => TextWorker<Text, Answer>;
  readonly #threads: number;
  readonly #lanes: Readonly<Record<EmbeddingKind, Lane<Job<Text, Answer>>>> = {
    query: new Lane(),
    passage: new Lane(),
    background: new Lane(),
  };
  readonly #workers = new Set<TextWorker<Text, Answer>>();
  /** The texts of each worker that is ready. */
  readonly #held = new Map<TextWorker<Text, Answer>, Set<Job<Text, Answer>>>();
  readonly #calls = new Set<EmbeddingCall<Text, Answer>>();
  /** The worker for queries; it does not count towards `threads`. */
  #reserved: TextWorker<Text, Answer> | undefined;
  #starting = 0;
  /** Passages dispatched in a row while a background text waited. */
  #overtaking = 0;
  #noStartBefore = 0;
  #closed = false;

  constructor(startWorker: (takes: Takes) => TextWorker<Text, Answer>, threads: number) {
    this.#startWorker = startWorker;
    this.#threads = threads;
  }

  /**
   * Resolves when a first worker is ready; rejects if it cannot start. `queries`: also starts the worker for queries, so that no query
   * waits for its start while passages are embedded.
   */
  async warmUp({ queries = false }: Readonly<{ queries?: boolean }> = {}): Promise<void> {
    await this.#start();
    if (queries) this.#startReserved();
  }

  /** @throws Unavailable if no worker can be started, if two workers crashed on the same text, or after `close` */
  async embed(texts: readonly Text[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Answer[]> {
    if (this.#closed) throw closed();
    const call = new EmbeddingCall<Text, Answer>(texts, kind, signal);
    if (!call.settled) {
      this.#calls.add(call);
      for (const index of texts.keys()) this.#lanes[kind].push({ call, index, crashes: 0 });
      this.#dispatch();
    }
    return call.result.finally(() => this.#calls.delete(call));
  }

  /** Ends the workers after their current text. Waiting texts fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(closed());
    await Promise.all([...this.#workers, ...(this.#reserved === undefined ? [] : [this.#reserved])].map((worker) => worker.close()));
  }

  #dispatch(): void {
    for (const next of [() => this.#next('query'), () => this.#nextPassage()])
      for (let job = next(); job !== undefined; job = next()) {
        const { kind } = job.call;
        const worker = this.#workerFor(job);
        if (kind === 'query' && (worker === undefined || effortOf(this.#held.get(worker)) >= EFFORT.passage)) this.#reserve();
        if (worker === undefined) break;
        this.#lanes[kind].take();
        if (kind !== 'query') this.#overtaking = kind === 'passage' && this.#lanes.background.length > 0 ? this.#overtaking + 1 : 0;
        void this.#work(worker, job);
      }
    const waiting = this.#lanes.query.length + this.#lanes.passage.length + this.#lanes.background.length;
    const wanted = Math.min(waiting - this.#starting, this.#mayStart() ? this.#threads - this.#workers.size : 0);
    for (let i = 0; i < wanted; i++) this.#start().catch((error: unknown) => this.#startFailed(error));
  }

  /** Skips texts of calls that have already settled. */
  #next(kind: EmbeddingKind): Job<Text, Answer> | undefined {
    const lane = this.#lanes[kind];
    while (lane.next?.call.settled) lane.take();
    return lane.next;
  }

  #nextPassage(): Job<Text, Answer> | undefined {
    const [first, second] = this.#overtaking < MAX_OVERTAKING ? (['passage', 'background'] as const) : (['background', 'passage'] as const);
    return this.#next(first) ?? this.#next(second);
  }

  /** The worker with the least work that may accept this text. While other workers are starting, none gets a second text. */
  #workerFor({ call, crashes }: Job<Text, Answer>): TextWorker<Text, Answer> | undefined {
    const max = crashes > 0 || this.#mayGrow() ? 1 : MAX_HELD[call.kind];
    let best: TextWorker<Text, Answer> | undefined;
    let min = Infinity;
    for (const [worker, held] of this.#held) {
      const isOpen = held.size < max && (worker !== this.#reserved || call.kind === 'query') && ![...held].some((job) => job.crashes > 0);
      if (!isOpen || effortOf(held) >= min) continue;
      best = worker;
      min = effortOf(held);
    }
    return best;
  }

  #reserve(): void {
    if (!this.#mayGrow()) this.#startReserved();
  }

  /** No text depends on this worker: the query that caused its start waits for the other workers. */
  #startReserved(): void {
    if (this.#reserved !== undefined || !this.#mayStart()) return;
    const worker = this.#startWorker('queries');
    this.#reserved = worker;
    void worker.gone.then(() => this.#forget(worker));
    worker.ready.then(
      () => (this.#held.set(worker, new Set()), this.#dispatch()),
      () => {
        this.#noStartBefore = Date.now() + RESTART_PAUSE_MS;
        this.#forget(worker);
        void worker.close();
      },
    );
  }

  async #work(worker: TextWorker<Text, Answer>, job: Job<Text, Answer>): Promise<void> {
    const { call, index } = job;
    this.#held.get(worker)?.add(job);
    try {
      call.answer(index, await worker.embed(call.texts[index] as Text, call.kind));
    } catch (error) {
      if (error instanceof WorkerDied) {
        this.#forget(worker);
        this.#retry(job, error);
      } else call.fail(error);
    }
    this.#held.get(worker)?.delete(job);
    this.#dispatch();
  }

  #retry(job: Job<Text, Answer>, crash: WorkerDied): void {
    if (++job.crashes < MAX_CRASHES) this.#lanes[job.call.kind].putBack(job);
    else job.call.fail(new Unavailable(`${job.crashes} workers crashed on the same text: ${crash.message}`, { cause: crash }));
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
    this.#noStartBefore = Date.now() + RESTART_PAUSE_MS;
    if (this.#workers.size === 0) this.#failAll(error);
  }

  #forget(worker: TextWorker<Text, Answer>): void {
    this.#workers.delete(worker);
    this.#held.delete(worker);
    if (worker === this.#reserved) this.#reserved = undefined;
  }

  #failAll(error: unknown): void {
    for (const call of this.#calls) call.fail(error);
  }
}

const closed = (): Unavailable => new Unavailable('the embedding provider is closed');

const effortOf = (held: ReadonlySet<Readonly<{ call: Readonly<{ kind: EmbeddingKind }> }>> | undefined): number =>
  [...(held ?? [])].reduce((sum, { call }) => sum + EFFORT[call.kind], 0);
