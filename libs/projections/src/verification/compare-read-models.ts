import { nextTurn, pause, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { partitionKey, type CatalogRow, type IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { ReadModelStores } from '../read-model-stores.ts';
import type { LogView } from '../views/log-view.ts';
import type { BuildPace } from '../views/view-build.ts';
import { partitionsOf } from '../views/view-at.ts';
import { compareCatalogs } from './compare-catalogs.ts';
import { compareEntries, orphanedEntries, type Turn } from './compare-entries.ts';
import { keyOf, type Difference } from './difference.ts';
import { MultisetDigest } from './multiset-digest.ts';

/**
 * `fingerprint`: the sum modulo 2^256 of the SHA-256 of all entries, each as index name, chunk id and digest; computed from the log.
 * `withoutVector`: number of `chunks` that the model refused; they are found by their words only.
 */
export type VerifiedPartition = Readonly<{
  tenant: string;
  scope: string;
  generation: string;
  chunks: number;
  withoutVector: number;
  fingerprint: string;
}>;

/** All stores: only a process that answers queries can compare them. */
export type VerifiableStores = ReadModelStores & Required<Pick<ReadModelStores, 'vectors' | 'lexical'>>;

/** `rows`: of the catalog, those that differ. */
export type Compared = Readonly<{
  position: Position;
  partitions: readonly VerifiedPartition[];
  differences: readonly Difference[];
  rows: readonly CatalogRow[];
}>;

/** Time limit for the other writers of a shared index to write their removals. */
const SETTLE_MS = 30_000;
const ROUNDS = 3;
const AGAIN_MS = 1_000;
/** Entries after which projecting continues for a moment. A partition with more is compared in one piece. */
const ENTRIES_PER_STEP = 20_000;

/** What was found so far, and the partitions that were compared. */
type Found = Readonly<{ differences: Difference[]; done: Set<string> }>;

/**
 * Compares the stored read models with a view of the log, in steps. Each partition, and the catalog, is compared at the position that
 * it has then, while nothing is projected; between two steps, projecting continues.
 */
export class CompareReadModels {
  readonly #stores: VerifiableStores;
  readonly #runner: ReadModelRunner;
  readonly #system: System;
  readonly #signal: AbortSignal;
  readonly #turn: Turn;

  /** `signal`: aborts when the process stops. */
  constructor(stores: VerifiableStores, runner: ReadModelRunner, system: System, signal: AbortSignal) {
    this.#signal = signal;
    this.#turn = async () => {
      signal.throwIfAborted();
      await nextTurn(system.scheduler);
    };
    this.#stores = stores;
    this.#runner = runner;
    this.#system = system;
  }

  async with(view: LogView, pace?: BuildPace): Promise<Compared> {
    let found = await this.#once(view, pace);
    // Other replicas keep writing to a shared index: only a difference that is found again a moment later counts.
    for (let round = 1; this.#stores.shared && found.differences.length > 0 && round < ROUNDS; round++) {
      await pause(AGAIN_MS, undefined, this.#system.scheduler);
      const before = new Set(found.differences.map(keyOf));
      const next = await this.#once(view, pace);
      found = { ...next, differences: next.differences.filter((difference) => before.has(keyOf(difference))) };
    }
    return found;
  }

  /** Calls `work` while nothing is projected, and the view is at the position of the read models. */
  whileEqual<T>(view: LogView, work: () => Promise<T>): Promise<T> {
    return this.#runner.whilePaused(async () => {
      await this.#settled();
      this.#signal.throwIfAborted();
      const position = this.#runner.position();
      if (position < view.position) throw new Unavailable('the read models are being projected again', { forCallers: true });
      await view.upTo(position);
      return work();
    });
  }

  async #once(view: LogView, pace?: BuildPace): Promise<Compared> {
    await this.#runner.reached(await this.#stores.journal.log.head(), 60_000, this.#signal);
    this.#signal.throwIfAborted();
    // Before the first pause, so that it is short.
    await view.upTo(this.#runner.position(), pace);
    const found: Found = { differences: [], done: new Set() };
    for (;;) {
      const compared = await this.whileEqual(view, () => this.#step(view, found));
      if (compared !== undefined) return compared;
      await pace?.next(0, this.#signal);
    }
  }

  /** Compares the next partitions, at last what no partition has. Then it returns everything. */
  async #step(view: LogView, { differences, done }: Found): Promise<Compared | undefined> {
    const partitions = await partitionsOf(view);
    let entries = 0;
    for (const partition of partitions) {
      if (done.has(partitionKey(partition))) continue;
      if (entries >= ENTRIES_PER_STEP) return undefined;
      done.add(partitionKey(partition));
      entries += view.vectors.entries(partition).size + view.lexical.entries(partition).size;
      differences.push(...(await this.#compare(view, partition)));
    }
    if (entries >= ENTRIES_PER_STEP) return undefined;
    const { vectors, lexical, catalog } = this.#stores;
    const known = new Set(partitions.map(partitionKey));
    const catalogs = await compareCatalogs(view.catalog, catalog);
    return {
      position: view.position,
      partitions: partitions.map((partition) => verified(view, partition)),
      differences: [
        ...differences,
        ...(await orphanedEntries('vectors', vectors, known, this.#turn)),
        ...(await orphanedEntries('lexical', lexical, known, this.#turn)),
        ...catalogs.differences,
      ],
      rows: catalogs.rows,
    };
  }

  async #compare(view: LogView, partition: IndexPartition): Promise<readonly Difference[]> {
    const { vectors, lexical } = this.#stores;
    return [
      ...(await compareEntries('vectors', partition, view.vectors.entries(partition), vectors.entries(partition), this.#turn)),
      ...(await compareEntries('lexical', partition, view.lexical.entries(partition), lexical.entries(partition), this.#turn)),
    ];
  }

  async #settled(): Promise<void> {
    const { shared } = this.#stores;
    const { clock, scheduler } = this.#system;
    for (const until = clock.elapsed() + SETTLE_MS; shared && !(await shared.settled());) {
      this.#signal.throwIfAborted();
      if (clock.elapsed() > until)
        throw new Unavailable('other replicas have not yet removed deleted chunks from the shared indexes', { forCallers: true });
      await pause(100, undefined, scheduler);
    }
  }
}

const verified = (view: LogView, partition: IndexPartition): VerifiedPartition => {
  const chunks = view.lexical.entries(partition).size;
  return {
    tenant: partition.scope.tenant,
    scope: partition.scope.scope,
    generation: partition.generation,
    chunks,
    withoutVector: chunks - view.vectors.entries(partition).size,
    fingerprint: MultisetDigest.ofAll([view.vectors.sum(partition), view.lexical.sum(partition)]),
  };
};
