import { Corrupt, earlierOf, partitionKey, START } from '@palimpsest/knowledge';
import { pause, type FactBatch } from '@palimpsest/contracts';
import type { Checkpoints, IndexPartition, Position, ReadModels } from '@palimpsest/knowledge';
import { BatchPipeline } from './batch-pipeline.ts';
import { DelayedFlush } from './delayed-flush.ts';
import { PROJECTED } from './projected-types.ts';
import { SharedIndexLost } from './shared-index-writer.ts';
import { ReadModelProjector, type ReadModelStores } from './read-model-projector.ts';

export type RunnerOptions = Readonly<{
  checkpoints: Checkpoints;
  /** Told of every failure of the loop, which then goes on after a pause. */
  onError: (error: unknown) => void;
  /** Index writes are made durable at least so often, in milliseconds. */
  flushEveryMs?: number;
  /** Told of every batch that the read models took, for measurements. Must not throw. */
  onProjected?: (projected: Projected) => void;
  /** Told when the read models have caught up for the first time: a good moment for what can wait. Must not throw. */
  onServing?: () => void;
}>;

/** A batch of facts that is in the read models now, and how many milliseconds that took. `caughtUp`: nothing newer was on the log. */
export type Projected = FactBatch & Readonly<{ ms: number }>;

export type ProjectionProgress = Readonly<{ name: string; position: Position }>;

/** Up to where the read models are durable. */
export const READ_MODELS_CHECKPOINT = 'read-models';
/** Up to where this process has seen the shared indexes written. */
const SHARED_CHECKPOINT = 'shared-indexes';
const RETRY_MS = 1_000;
/** Events projected at a time. Indexing the words of a batch holds up the event loop: 64 for half as long as 512, at a tenth more CPU. */
const BATCH = 128;

/** A partition of one of the indexes that was found damaged after opening. */
type Lost = Readonly<{ index: 'vectors' | 'lexical'; partition: IndexPartition }>;

type Waiter = { position: Position; done: (reached: boolean) => void };

/** Keeps the read models following the log: from their checkpoint, for as long as the process lives. */
export class ReadModelRunner implements ReadModels {
  readonly #stores: ReadModelStores;
  readonly #options: RunnerOptions;
  readonly #waiters = new Set<Waiter>();
  #position: Position = START;
  #caughtUpOnce = false;
  #served = false;
  /** Between `start` and `stop`. */
  #wanted = false;
  #paused = false;
  /** Work that needs the projection to stand still, one piece after the other. */
  #pauses: Promise<unknown> = Promise.resolve();
  #running: { stop: AbortController; ended: Promise<void> } | undefined;
  /** Where this process has come; unknown at first, and after the read models were dropped. */
  #resumeAfter: Position | undefined;
  readonly #flush: DelayedFlush;
  #failure: unknown;
  /** Damaged, and not yet dropped. */
  #lost: readonly Lost[] = [];

  constructor(stores: ReadModelStores, options: RunnerOptions) {
    this.#stores = stores;
    this.#options = options;
    this.#flush = new DelayedFlush(() => this.#makeDurable(), options.flushEveryMs ?? 1_000, options.onError);
  }

  position(): Position {
    return this.#position;
  }

  serving(): boolean {
    return this.#caughtUpOnce;
  }

  /** Why the loop is not getting on, if it is not. */
  failure(): unknown {
    return this.#failure;
  }

  reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = { position, done: (reached) => (clearTimeout(timer), this.#waiters.delete(waiter), resolve(reached)) };
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  async progress(): Promise<readonly ProjectionProgress[]> {
    const indexed = this.#position;
    const { catalog, vectors, lexical } = this.#stores;
    return [
      { name: 'catalog', position: await catalog.position() },
      ...(vectors ? [{ name: 'vectors', position: indexed }] : []),
      ...(lexical ? [{ name: 'lexical', position: indexed }] : []),
    ];
  }

  /** Starts following; does not wait for the read models to catch up. */
  start(): void {
    this.#wanted = true;
    this.#resume();
  }

  /** Finishes the batch under way and flushes. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#halt();
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }

  /** Runs `work` while nothing is being projected and no other such work runs, then goes on from the checkpoints that it left. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#pauses.then(async () => {
      this.#paused = true;
      await this.#halt();
      try {
        return await work();
      } finally {
        this.#paused = false;
        this.#resume();
      }
    });
    this.#pauses = done.catch(() => undefined);
    return done;
  }

  #resume(): void {
    if (!this.#wanted || this.#paused || this.#running) return;
    const stop = new AbortController();
    this.#running = { stop, ended: this.#loop(stop.signal) };
  }

  async #halt(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.stop.abort();
    await running.ended;
    if (this.#running === running) this.#running = undefined;
  }

  /**
   * Looks whether a shared index lost what this process has seen written, and then projects everything again: the shares that
   * it holds are written anew, and searches wait for it.
   */
  async checkShared(): Promise<void> {
    const { shared } = this.#stores;
    const seen = shared?.last() ?? START;
    if (!shared || seen === START || !(await shared.lost(seen))) return;
    await this.whilePaused(async () => this.#fromTheStart());
  }

  /**
   * An index of this process's own has met damage in what it held: from now on searches wait, the partition is dropped, and
   * everything is projected again. Before `start` it is noted.
   */
  indexDamaged(index: Lost['index'], partition: IndexPartition, reason: string): void {
    this.#caughtUpOnce = false;
    this.#lost = [...this.#lost, { index, partition }];
    this.#options.onError(new Corrupt(`the ${index} of ${partitionKey(partition)} are damaged, and are made again from the log: ${reason}`));
    void this.whilePaused(() => Promise.resolve());
  }

  /** Empties every read model. Only while paused. */
  async dropAll(): Promise<void> {
    const { catalog, vectors, lexical, shared } = this.#stores;
    this.#caughtUpOnce = false;
    await shared?.reset();
    this.#position = START;
    this.#resumeAfter = undefined;
    await this.#options.checkpoints.set(READ_MODELS_CHECKPOINT, START);
    if (shared) await this.#options.checkpoints.set(SHARED_CHECKPOINT, START);
    await vectors?.dropAll();
    await lexical?.dropAll();
    await catalog.reset();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failure = error;
        this.#options.onError(error);
        if (error instanceof SharedIndexLost) this.#fromTheStart();
        await pause(RETRY_MS, signal);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const projector = new ReadModelProjector(this.#stores);
    await this.#dropLost();
    // After a failure the batch that failed is projected again, as it was or with more; after a start, all since the checkpoint.
    const after = this.#resumeAfter ?? (await this.#startingPoint());
    await projector.start();
    this.#position = after;
    this.#resumeAfter = after;
    // Said before anything is written: a process that is killed half-way must not be taken for one that had come to the end.
    if (after === START) await this.#flush.now();
    const pipeline = new BatchPipeline(projector, (batch, ms) => this.#projected({ ...batch, ms }));
    try {
      for await (const batch of this.#stores.journal.follow({ after, signal, types: PROJECTED, maxBatch: BATCH })) await pipeline.take(batch, signal);
      await pipeline.end();
    } finally {
      // Whoever tries again begins behind what was written.
      await pipeline.end().catch(() => undefined);
    }
    await this.#flush.now();
  }

  #projected(projected: Projected): void {
    this.#failure = undefined;
    this.#reach(projected.upTo);
    this.#options.onProjected?.(projected);
    if (projected.caughtUp) this.#serve();
    if (projected.facts.length > 0) this.#flush.soon();
  }

  #serve(): void {
    if (this.#caughtUpOnce || this.#lost.length > 0) return;
    this.#caughtUpOnce = true;
    if (!this.#served) this.#options.onServing?.();
    this.#served = true;
  }

  #fromTheStart(): void {
    this.#stores.shared?.forget();
    this.#caughtUpOnce = false;
    this.#position = START;
    this.#resumeAfter = START;
  }

  /** The damaged files stay until the checkpoint tells to begin at the start: a process that is killed before finds the damage again. */
  async #dropLost(): Promise<void> {
    if (this.#lost.length === 0) return;
    this.#fromTheStart();
    await this.#flush.now();
    for (const lost of this.#lost) {
      await this.#stores[lost.index]?.drop(lost.partition);
      this.#lost = this.#lost.filter((other) => other !== lost);
    }
  }

  async #startingPoint(): Promise<Position> {
    const { catalog, shared } = this.#stores;
    if (await this.#someIndexIsGone()) return START;
    if (await shared?.lost(await this.#options.checkpoints.get(SHARED_CHECKPOINT))) return START;
    return earlierOf(await catalog.position(), await this.#options.checkpoints.get(READ_MODELS_CHECKPOINT));
  }

  /** Whether an index that should hold something is missing or damaged: its folder was deleted, say. */
  async #someIndexIsGone(): Promise<boolean> {
    const { catalog, vectors, lexical, shared } = this.#stores;
    // A shared one says itself whether it lost something; it has no position for each of its partitions.
    const indexes = [...(vectors && !shared ? [vectors] : []), ...(lexical && !shared?.sharesLexical ? [lexical] : [])];
    if (indexes.length === 0) return false;
    const damaged = new Set(indexes.flatMap((index) => index.damaged()).map(({ partition }) => partitionKey(partition)));
    for (const { scope, generations } of await catalog.scopes()) {
      const [first] = await catalog.indexedDocuments(scope, 1);
      if (first === undefined) continue;
      for (const { id: generation, status } of generations) {
        const partition: IndexPartition = { scope, generation };
        // One that is being built may be empty for a good reason; only its damage tells that it is not.
        const holdsSomething = status === 'active' || status === 'standby' || (status === 'building' && damaged.has(partitionKey(partition)));
        for (const index of holdsSomething ? indexes : []) if ((await index.position(partition)) === START) return true;
      }
    }
    return false;
  }

  async #makeDurable(): Promise<void> {
    const upTo = this.#position;
    await this.#stores.vectors?.flush();
    await this.#stores.lexical?.flush();
    const { shared } = this.#stores;
    if (shared && shared.last() > START) await this.#options.checkpoints.set(SHARED_CHECKPOINT, shared.last());
    await this.#options.checkpoints.set(READ_MODELS_CHECKPOINT, upTo);
  }

  #reach(position: Position): void {
    this.#position = position;
    this.#resumeAfter = position;
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.done(true);
  }
}
