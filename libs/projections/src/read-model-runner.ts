import { Corrupt, partitionKey, START } from '@palimpsest/knowledge';
import { pause, type CheckPace, type FactBatch } from '@palimpsest/contracts';
import type { Checkpoints, IndexPartition, Position, ReadModels } from '@palimpsest/knowledge';
import { BatchPipeline } from './batch-pipeline.ts';
import { DelayedFlush } from './delayed-flush.ts';
import { LostPartitions, type LostPartition } from './lost-partitions.ts';
import { dropOrphans } from './orphan-partitions.ts';
import { PausableLoop } from './pausable-loop.ts';
import { PositionWaiters } from './position-waiters.ts';
import { PROJECTED } from './projected-types.ts';
import { leavesResidue, ResiduePurge } from './residue-purge.ts';
import { SharedIndexLost } from './shared-index-writer.ts';
import { READ_MODELS_CHECKPOINT, SHARED_CHECKPOINT, startingPoint } from './starting-point.ts';
import { ReadModelProjector } from './read-model-projector.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import { Tombstones } from './tombstones.ts';

export type RunnerOptions = Readonly<{
  checkpoints: Checkpoints;
  /** Told of every failure of the loop, which then goes on after a pause. */
  onError: (error: unknown) => void;
  /** Index writes are made durable at least so often, in milliseconds. */
  flushEveryMs?: number;
  /** How long removed content may stay in the files of the read models, in milliseconds. Default: 15 minutes. */
  purgeAfterMs?: number;
  /** Told of every batch that the read models took, for measurements. Must not throw. */
  onProjected?: (projected: Projected) => void;
  /** Told when the read models have caught up for the first time: a good moment for what can wait. Must not throw. */
  onServing?: () => void;
  /**
   * Reads through what this process's own indexes took unread at opening; damage goes to `indexDamaged`. Called in the
   * background once the read models have caught up, and, at once, before everything is projected again.
   */
  checkIndexes?: (pace: CheckPace) => Promise<void>;
}>;

/** A batch of facts that is in the read models now, and how many milliseconds that took. `caughtUp`: nothing newer was on the log. */
export type Projected = FactBatch & Readonly<{ ms: number }>;

export type ProjectionProgress = Readonly<{ name: string; position: Position }>;

const RETRY_MS = 1_000;
const PURGE_AFTER_MS = 15 * 60_000;
/** Events projected at a time. Indexing the words of a batch holds up the event loop: 64 for half as long as 512, at a tenth more CPU. */
const BATCH = 128;

/** Keeps the read models following the log: from their checkpoint, for as long as the process lives. */
export class ReadModelRunner implements ReadModels {
  readonly #stores: ReadModelStores;
  readonly #options: RunnerOptions;
  readonly #waiters = new PositionWaiters();
  readonly #following = new PausableLoop((signal) => this.#loop(signal));
  readonly #flush: DelayedFlush;
  readonly #purge: ResiduePurge;
  readonly #lost = new LostPartitions();
  #position: Position = START;
  #caughtUpOnce = false;
  #served = false;
  /** Where this process has come; unknown at first, and after the read models were dropped. */
  #resumeAfter: Position | undefined;
  #failure: unknown;
  /** While whatever else is damaged is looked for. */
  #looking = false;

  constructor(stores: ReadModelStores, options: RunnerOptions) {
    this.#stores = stores;
    this.#options = options;
    this.#flush = new DelayedFlush(() => this.#makeDurable(), options.flushEveryMs ?? 1_000, options.onError);
    this.#purge = new ResiduePurge(stores, { delayMs: options.purgeAfterMs ?? PURGE_AFTER_MS, onError: options.onError, onPurged: () => this.#flush.soon() });
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

  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#position >= position ? Promise.resolve(true) : this.#waiters.wait(position, timeoutMs, signal);
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
    this.#purge.start();
    this.#following.start();
  }

  /** Finishes the batch under way and flushes. */
  async stop(): Promise<void> {
    await this.#purge.stop();
    await this.#following.stop();
    this.#waiters.giveUp();
  }

  /** Runs `work` while nothing is being projected and no other such work runs, then goes on from the checkpoints that it left. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    return this.#following.whilePaused(work);
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
  indexDamaged(index: LostPartition['index'], partition: IndexPartition, reason: string): void {
    this.#caughtUpOnce = false;
    this.#lost.add({ index, partition });
    this.#options.onError(new Corrupt(`the ${index} of ${partitionKey(partition)} are damaged, and are made again from the log: ${reason}`));
    // What is found now is dropped with the others in a moment.
    if (!this.#looking) void this.whilePaused(() => Promise.resolve());
  }

  /** The catalogue has met damage, and refuses everything: it is emptied, and everything is projected again. Before `start` it is noted. */
  catalogDamaged(reason: string): void {
    this.#caughtUpOnce = false;
    this.#lost.addCatalog();
    this.#options.onError(new Corrupt(`the catalogue is damaged, and is made again from the log: ${reason}`));
    if (!this.#looking) void this.whilePaused(() => Promise.resolve());
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
    const after = await this.#whereToBegin(signal);
    const projector = new ReadModelProjector(this.#stores, await Tombstones.after(this.#stores.journal, after, signal));
    await projector.start();
    this.#position = after;
    this.#resumeAfter = after;
    // Said before anything is written: a process that is killed half-way must not be taken for one that had come to the end.
    if (after === START) await this.#flush.now();
    const batches = this.#stores.journal.follow({ after, signal, types: PROJECTED, maxBatch: BATCH });
    await new BatchPipeline(projector, (batch, ms) => this.#projected({ ...batch, ms })).run(batches, signal);
    await this.#flush.now();
  }

  #projected(projected: Projected): void {
    this.#failure = undefined;
    this.#reach(projected.upTo);
    this.#options.onProjected?.(projected);
    if (projected.caughtUp) this.#serve();
    if (projected.facts.length > 0) this.#flush.soon();
    if (projected.facts.some(leavesResidue)) this.#purge.soon();
  }

  /** After a failure the batch that failed is projected again, as it was or with more; after a start, all since the checkpoint. */
  async #whereToBegin(signal: AbortSignal): Promise<Position> {
    const after = this.#lost.some ? START : (this.#resumeAfter ?? (await startingPoint(this.#stores, this.#options.checkpoints)));
    if (after === START) await this.#dropDamaged(signal);
    return after;
  }

  /**
   * All that is damaged, before everything is projected again: what was found later would cost a second time. The files stay
   * until the checkpoint tells to begin at the start: a process that is killed before finds the damage again.
   */
  async #dropDamaged(signal: AbortSignal): Promise<void> {
    this.#looking = true;
    try {
      await this.#options.checkIndexes?.({ atOnce: true, signal });
    } finally {
      this.#looking = false;
    }
    if (!this.#lost.some) return;
    this.#fromTheStart();
    await this.#flush.now();
    await this.#lost.drop(this.#stores);
  }

  #serve(): void {
    if (this.#caughtUpOnce || this.#lost.some) return;
    this.#caughtUpOnce = true;
    if (!this.#served) {
      this.#options.onServing?.();
      // What was read at opening is noted, so that the next one need not.
      this.#flush.soon();
      void this.#tidy().catch(this.#options.onError);
    }
    this.#served = true;
  }

  /** In the background; what nobody needs is not checked either. */
  async #tidy(): Promise<void> {
    await dropOrphans(this.#stores, (work) => this.whilePaused(work));
    await this.#options.checkIndexes?.({ atOnce: false });
    // What was removed before the last stop, and after the last purge.
    await this.#purge.now();
  }

  #fromTheStart(): void {
    this.#stores.shared?.forget();
    this.#caughtUpOnce = false;
    this.#position = START;
    this.#resumeAfter = START;
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
    this.#waiters.reached(position);
  }
}
