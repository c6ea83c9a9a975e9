import { Corrupt, NotCaughtUp } from '@palimpsest/knowledge/errors';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { earlierOf, laterOf, START } from '@palimpsest/knowledge/values';
import { Subscription, type FactBatch } from '@palimpsest/contracts';
import { SYSTEM, type Pace, type System } from '@palimpsest/foundation';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { IndexPartition, ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position, TenantScope } from '@palimpsest/knowledge/values';
import { BatchPipeline } from './batch-pipeline.ts';
import { DelayedFlush } from './delayed-flush.ts';
import { LostPartitions, type LostPartition } from './lost-partitions.ts';
import { dropOrphans } from './orphan-partitions.ts';
import { leavesResidue, ResiduePurge } from './residue-purge.ts';
import { SharedIndexLost } from './shared-index-writer.ts';
import { READ_MODELS_CHECKPOINT, SHARED_CHECKPOINT, startingPoint } from './starting-point.ts';
import { ReadModelProjector } from './read-model-projector.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import type { RebuildRun } from './rebuilds/rebuild-run.ts';
import { SetBuild } from './rebuilds/set-build.ts';
import { takeScopes } from './rebuilds/take-scopes.ts';
import { lacksHistoryAfter } from './views/removed-history.ts';
import type { SetAlongside } from './views/set-alongside.ts';
import { Tombstones } from './tombstones.ts';

export type RunnerOptions = Readonly<{
  checkpoints: Checkpoints;
  /** Called for every failure of the loop, which continues after a pause. */
  onError: (error: unknown) => void;
  /** Maximum time until index writes are durable, in milliseconds. */
  flushEveryMs?: number;
  /** Maximum time that removed content stays in the files of the read models, in milliseconds. Default: 15 minutes. */
  purgeAfterMs?: number;
  /** Called for every projected batch, for measurements. Must not throw. */
  onProjected?: (projected: Projected) => void;
  /** Called when the read models have caught up for the first time: the time for deferred work. Must not throw. */
  onServing?: () => void;
  /**
   * Checks data of this process's own indexes that was not read at opening; reports damage to `indexDamaged`. Called in the
   * background once the read models have caught up, and, if urgent, before everything is projected again.
   */
  checkIndexes?: (pace: Pace) => Promise<void>;
  system?: System;
}>;

/** A projected batch of facts, and the milliseconds that it took. `caughtUp`: nothing newer was on the log. */
export type Projected = FactBatch & Readonly<{ ms: number }>;

/** What single scopes have after their rebuild. */
export type ScopeContents = Readonly<{ documents: number; chunks: number }>;

export type ProjectionProgress = Readonly<{ name: string; position: Position }>;

const INDEX_NAMES = { vectors: 'vector index', lexical: 'lexical index' } as const;
const PURGE_AFTER_MS = 15 * 60_000;
/** Events projected at a time. Indexing the words of a batch blocks the event loop: 64 for half as long as 512, with a tenth more CPU. */
const BATCH = 128;

/** Follows the log from the checkpoint of the read models and projects it, as long as the process runs. */
export class ReadModelRunner implements ReadModels {
  readonly #stores: ReadModelStores;
  readonly #options: RunnerOptions;
  readonly #system: System;
  readonly #subscription: Subscription<FactBatch>;
  /** Of the current run. */
  #projector: ReadModelProjector;
  readonly #flush: DelayedFlush;
  readonly #purge: ResiduePurge;
  readonly #lost = new LostPartitions();
  #stopping = new AbortController();
  #caughtUpOnce = false;
  #served = false;
  /** Whether a check for further damage is running. */
  #checking = false;

  constructor(stores: ReadModelStores, options: RunnerOptions) {
    this.#stores = stores;
    this.#options = options;
    this.#system = options.system ?? SYSTEM;
    const { scheduler } = this.#system;
    this.#projector = new ReadModelProjector(stores);
    this.#subscription = new Subscription<FactBatch>(
      {
        begin: (reached, signal) => this.#begin(reached, signal),
        follow: (after, signal) => stores.journal.follow({ after, signal, types: this.#projector.handles, maxBatch: BATCH }),
        run: (batches, reached, signal) => this.#project(batches, reached, signal),
        onError: (error) => {
          options.onError(error);
          if (error instanceof SharedIndexLost) this.#fromTheStart();
        },
      },
      { scheduler },
    );
    this.#flush = new DelayedFlush(() => this.#makeDurable(), options.flushEveryMs ?? 1_000, options.onError, scheduler);
    this.#purge = new ResiduePurge(stores, {
      delayMs: options.purgeAfterMs ?? PURGE_AFTER_MS,
      onError: options.onError,
      onPurged: () => this.#flush.soon(),
      scheduler,
    });
  }

  position(): Position {
    return this.#subscription.position();
  }

  serving(): boolean {
    return this.#caughtUpOnce;
  }

  /** The last failure, if the loop makes no progress. */
  failure(): unknown {
    return this.#subscription.failure();
  }

  /** Removes from all files what is not in the read models any more. @throws if it was not done */
  purge(): Promise<void> {
    return this.#purge.complete();
  }

  reached(position: Position, timeoutMs: number | undefined, signal?: AbortSignal): Promise<boolean> {
    return this.#subscription.reached(position, timeoutMs, signal);
  }

  async progress(): Promise<readonly ProjectionProgress[]> {
    const indexed = this.position();
    const { catalog, vectors, lexical } = this.#stores;
    return [
      { name: 'catalog', position: await catalog.position() },
      ...(vectors ? [{ name: 'vectors', position: indexed }] : []),
      ...(lexical ? [{ name: 'lexical', position: indexed }] : []),
    ];
  }

  /** Starts following; does not wait for the read models to catch up. */
  start(): void {
    this.#stopping = new AbortController();
    this.#purge.start();
    this.#subscription.start();
  }

  /** Finishes the current batch and flushes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#purge.stop();
    await this.#subscription.stop();
  }

  /** Runs `work` while nothing is being projected and no other such work runs, then continues from the checkpoints that `work` left. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    return this.#subscription.whilePaused(work);
  }

  /**
   * Checks whether a shared index lost data that this process has seen written, and then projects everything again: the shares that
   * this process holds are rewritten, and searches wait for it.
   */
  async checkShared(): Promise<void> {
    const { shared } = this.#stores;
    const seen = shared?.last() ?? START;
    if (!shared || seen === START || !(await shared.lost(seen))) return;
    await this.whilePaused(async () => this.#fromTheStart());
  }

  /**
   * An index of this process has found damage in its data: searches wait from now on, the partition is dropped, and everything is
   * projected again. Before `start`, the damage is only recorded.
   */
  indexDamaged(index: LostPartition['index'], partition: IndexPartition, reason: string): void {
    this.#caughtUpOnce = false;
    this.#lost.add({ index, partition });
    this.#options.onError(
      new Corrupt(`the ${INDEX_NAMES[index]} of ${partitionKey(partition)} is damaged and is rebuilt from the log: ${reason}`),
    );
    // Damage found by a running check is dropped together with the rest.
    if (!this.#checking) void this.whilePaused(() => Promise.resolve());
  }

  /** The damaged catalog rejects all calls: it is emptied, and everything is projected again. Before `start`, it is only recorded. */
  catalogDamaged(reason: string): void {
    this.#caughtUpOnce = false;
    this.#lost.addCatalog();
    this.#options.onError(new Corrupt(`the catalog is damaged and is rebuilt from the log: ${reason}`));
    if (!this.#checking) void this.whilePaused(() => Promise.resolve());
  }

  /**
   * Builds a second set of read models while this one serves, and continues with it. On failure, the second set is deleted.
   * @throws Unavailable when the runner stops, the reason of the signal of `run`, and what the stores throw
   */
  async exchange(set: SetAlongside, run: RebuildRun): Promise<void> {
    const { log } = this.#stores.journal;
    const build = new SetBuild(this.#stores, set, run, this.#stopping.signal, this.#system, { end: () => log.head() });
    let at: Position | undefined;
    try {
      while (at === undefined) {
        await build.approach();
        at = await this.whilePaused(() => this.#takeOver(set, build, run));
      }
    } catch (error) {
      await set.discard();
      throw error;
    }
    this.#flush.soon();
    // What was removed while the set was built may still be in its files.
    this.#purge.soon();
    await set.shared?.finish(at);
  }

  /**
   * The same for single scopes: their rows and partitions take the place of the current ones at the position that these have then. The
   * rest of the set is deleted. Returns what the scopes have.
   */
  async exchangeScopes(scopes: readonly TenantScope[], set: SetAlongside, run: RebuildRun): Promise<ScopeContents> {
    const stopping = this.#stopping.signal;
    const ended = AbortSignal.any([stopping, run.signal]);
    const end = async () => laterOf(this.position(), await this.#stores.catalog.position());
    const build = new SetBuild(this.#stores, set, run, stopping, this.#system, { scopes, end });
    let taken: ScopeContents | undefined;
    try {
      while (taken === undefined) {
        await build.approach();
        // They may be behind, when everything is being projected again after damage.
        await this.reached(build.position, undefined, ended);
        taken = await this.whilePaused(() => this.#takeScopes(scopes, set, build, run));
      }
      await set.shared?.finish(build.position, scopes);
    } finally {
      await set.discard();
    }
    this.#flush.soon();
    this.#purge.soon();
    return taken;
  }

  /** The last step of a rebuild, while nothing is projected. Returns the position; nothing if it was paused meanwhile: then the set waits. */
  async #takeOver(set: SetAlongside, build: SetBuild, run: RebuildRun): Promise<Position | undefined> {
    if (run.pace.isPaused) return undefined;
    run.pace.release();
    const head = await build.toEnd();
    await Promise.all([set.vectors.flush(), set.lexical.flush()]);
    run.exchanging();
    await set.shared?.written(head);
    await set.exchange();
    this.#lost.clear();
    this.#subscription.restart(head);
    return head;
  }

  /** The last step for single scopes. Returns nothing if it was paused meanwhile, or the read models are further back. */
  async #takeScopes(
    scopes: readonly TenantScope[],
    set: SetAlongside,
    build: SetBuild,
    run: RebuildRun,
  ): Promise<ScopeContents | undefined> {
    const now = laterOf(this.position(), await this.#stores.catalog.position());
    if (run.pace.isPaused || now < build.position) return undefined;
    run.pace.release();
    await build.toEnd();
    const contents = { documents: (await set.catalog.documentCounts()).total, chunks: await set.catalog.chunkCount() };
    run.exchanging();
    await takeScopes(scopes, set, this.#stores);
    return contents;
  }

  /** After a failure, the failed batch is projected again, possibly with more facts; after a start, all facts since the checkpoint. */
  async #begin(reached: Position | undefined, signal: AbortSignal): Promise<Position> {
    const after = this.#lost.some ? START : (reached ?? (await this.#startingPoint()));
    if (after === START) await this.#dropDamaged(signal);
    this.#projector = new ReadModelProjector(this.#stores, await Tombstones.after(this.#stores.journal, after, { signal }));
    await this.#projector.start(after);
    return after;
  }

  /**
   * Everything that is stored is dropped if facts that it has not seen were removed from the log: what they removed would stay, also in a
   * replay from the start.
   */
  async #startingPoint(): Promise<Position> {
    const { catalog, journal, vectors, lexical, shared } = this.#stores;
    const { checkpoints } = this.#options;
    const after = await startingPoint(this.#stores, checkpoints);
    const [position, checkpoint] = [await catalog.position(), await checkpoints.get(READ_MODELS_CHECKPOINT)];
    const seen = earlierOf(position, checkpoint);
    if (!(await lacksHistoryAfter(journal, seen))) return after;
    const own = { ...(vectors && !shared ? { vectors } : {}), ...(lexical && !shared?.sharesLexical ? { lexical } : {}) };
    for (const index of Object.keys(own) as LostPartition['index'][])
      for (const partition of (await own[index]?.partitions()) ?? []) this.#lost.add({ index, partition });
    if (position > START) this.#lost.addCatalog();
    if (!this.#lost.some) return after;
    this.#options.onError(new NotCaughtUp(`history after position ${seen} was removed from the log; the read models are built again`));
    return START;
  }

  async #project(batches: AsyncIterable<FactBatch>, reached: (upTo: Position) => void, signal: AbortSignal): Promise<void> {
    // Saves the checkpoint before any write: after a kill, a partial projection must not look complete.
    if (this.position() === START) await this.#flush.now();
    const pipeline = new BatchPipeline(
      this.#projector,
      (batch, ms) => {
        reached(batch.upTo);
        this.#projected({ ...batch, ms });
      },
      this.#system.clock,
    );
    await pipeline.run(batches, signal);
    await this.#flush.now();
  }

  #projected(projected: Projected): void {
    this.#options.onProjected?.(projected);
    if (projected.caughtUp) this.#serve();
    if (projected.facts.length > 0) this.#flush.soon();
    if (projected.facts.some(leavesResidue)) this.#purge.soon();
  }

  /**
   * Drops all damaged stores before everything is projected again: damage found later would cost a second projection. The files stay
   * until the checkpoint says to begin at the start, so that a process that is killed before finds the damage again.
   */
  async #dropDamaged(signal: AbortSignal): Promise<void> {
    this.#checking = true;
    try {
      await this.#options.checkIndexes?.({ urgent: true, signal });
    } finally {
      this.#checking = false;
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
      // The flush records what was checked at opening, so that the next start need not check it.
      this.#flush.soon();
      void this.#tidy().catch(this.#options.onError);
    }
    this.#served = true;
  }

  /** Runs in the background. Drops orphans first, so that they are not checked. */
  async #tidy(): Promise<void> {
    await dropOrphans(this.#stores, (work) => this.whilePaused(work));
    await this.#options.checkIndexes?.({ urgent: false });
    // Purges content that was removed after the last purge and before the last stop.
    await this.#purge.now();
    // What an earlier version left in a store that is shared with others may be removed only when all of them were replaced.
    if (this.#stores.shared) this.#purge.soon();
  }

  #fromTheStart(): void {
    this.#stores.shared?.forget();
    this.#caughtUpOnce = false;
    this.#subscription.restart(START);
  }

  async #makeDurable(): Promise<void> {
    const upTo = this.position();
    await Promise.all([this.#stores.vectors?.flush(), this.#stores.lexical?.flush()]);
    const { shared } = this.#stores;
    if (shared && shared.last() > START) await this.#options.checkpoints.set(SHARED_CHECKPOINT, shared.last());
    await this.#options.checkpoints.set(READ_MODELS_CHECKPOINT, upTo);
  }
}
