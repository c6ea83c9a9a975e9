import { setImmediate } from 'node:timers/promises';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { partitionKey, type IndexEntry, type IndexPartition, type IndexRemoval, type Ordered } from '@palimpsest/knowledge/read-models';
import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import { Connection } from '../connection/connection.ts';
import { connectionSettings, layoutOf, type Layout, type QdrantOptions } from '../connection/options.ts';
import { Collections, type CollectionPlan } from './collections.ts';
import { Meta } from './meta.ts';
import { metaName, metaPrefix, namePrefix, type CollectionKind } from './names.ts';
import { latest } from './ordered-writes.ts';
import { PartitionLocks } from './partition-locks.ts';
import { PartitionPoints, type Draft } from './partition-points.ts';
import { removeUnusedPoints } from './unused-points.ts';

/** `draftOf` throws InvalidValue for an invalid put; then nothing of the call is written. `before`: work to do before the write. */
export type Writing<Put> = Readonly<{ plan: CollectionPlan; draftOf: (put: Put, field: string) => Draft; before?: () => Promise<void> }>;

type AnyPut = Readonly<{ write: 'put'; chunkId: ChunkId }>;

/** What both indexes share: partitions in collections, and the order of writes. */
export class PartitionStore {
  readonly connection: Connection;
  readonly collections: Collections;
  readonly layout: Layout;
  readonly meta: Meta;
  readonly #kind: CollectionKind;
  readonly #locks = new PartitionLocks();
  readonly #registered = new Set<string>();
  #closed = false;

  constructor(options: QdrantOptions, kind: CollectionKind) {
    this.connection = new Connection(connectionSettings(options));
    this.layout = layoutOf(options);
    this.collections = new Collections(this.connection, this.layout);
    this.#kind = kind;
    this.meta = new Meta(this, metaName(this.layout.prefix, kind));
  }

  points(plan: CollectionPlan | Pick<CollectionPlan, 'name'>, partition: IndexPartition): PartitionPoints {
    this.#checkOpen();
    return new PartitionPoints(this, plan, partition);
  }

  async apply<Put extends AnyPut>(
    partition: IndexPartition,
    begin: () => Promise<Writing<Put>>,
    writes: readonly (Put | IndexRemoval)[],
    upTo: Position,
  ): Promise<void> {
    this.#checkOpen();
    await this.#locks.write(partitionKey(partition), async () => {
      const { plan, draftOf, before } = await begin();
      const reached = this.meta.position(partition, plan.name);
      reached.catch(() => undefined);
      // The request is sent while vectors become numbers, which takes as long as its answer.
      await setImmediate();
      const last = new Map(writes.map((write, i) => [write.chunkId, write.write === 'put' ? draftOf(write, `writes[${i}]`) : undefined]));
      // At its own position, a partition accepts a further call: puts come first, removals follow.
      if (upTo < (await reached)) return;
      const points = this.points(plan, partition);
      if (last.size > 0) await this.#register(partition, plan.name);
      await before?.();
      const entries = [...last];
      await points.upsert(entries.flatMap(([, draft]) => (draft === undefined ? [] : [{ draft, at: upTo }])));
      await points.remove(entries.flatMap(([chunkId, draft]) => (draft === undefined ? [{ chunkId, at: upTo }] : [])));
      await this.meta.advance(partition, plan.name, upTo);
    });
  }

  /** Writes of several processes, ordered by their positions. Another one may have dropped the partition, so it is registered each time. */
  async put<Put extends AnyPut>(
    partition: IndexPartition,
    { plan, draftOf, before }: Writing<Put>,
    puts: readonly Ordered<{ put: Put }>[],
  ): Promise<void> {
    if (puts.length === 0) return;
    const points = this.points(plan, partition);
    const drafts = puts.map(({ put, at }, i) => ({ draft: draftOf(put, `puts[${i}].put`), at }));
    await this.meta.register(partition, plan.name);
    await before?.();
    await points.upsert(latest(drafts, ({ draft }) => draft.chunkId));
  }

  async remove(partition: IndexPartition, plan: CollectionPlan, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    if (removals.length > 0) await this.points(plan, partition).remove(latest(removals, ({ chunkId }) => chunkId));
  }

  /** Waits while this process writes to the partition. */
  read<T>(partition: IndexPartition, work: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.#locks.read(partitionKey(partition), work);
  }

  async position(partition: IndexPartition, { name }: CollectionPlan): Promise<Position> {
    this.#checkOpen();
    return this.meta.position(partition, name);
  }

  async partitions(): Promise<readonly IndexPartition[]> {
    this.#checkOpen();
    const known = await this.meta.partitions();
    return [...new Map(known.map(({ partition }) => [partitionKey(partition), partition])).values()];
  }

  async *entries(partition: IndexPartition, plan: CollectionPlan): AsyncIterable<IndexEntry> {
    yield* await this.read(partition, () => this.points(plan, partition).entries());
  }

  /** From every collection of its kind, since the partition may have been written with other settings before. */
  async drop(partition: IndexPartition): Promise<void> {
    this.#checkOpen();
    await this.#locks.write(partitionKey(partition), async () => {
      const key = partitionKey(partition);
      this.#registered.clear();
      for (const known of await this.meta.partitions())
        if (partitionKey(known.partition) === key) await this.meta.restart(partition, known.collection);
      for (const name of await this.collections.names(namePrefix(this.layout.prefix, this.#kind)))
        await this.points({ name }, partition).removeAll();
      await this.meta.forget(partition);
    });
  }

  async dropAll(): Promise<void> {
    this.#checkOpen();
    this.#registered.clear();
    await this.collections.drop(this.meta.name);
    for (const name of await this.collections.names(namePrefix(this.layout.prefix, this.#kind))) await this.collections.drop(name);
  }

  /**
   * Removes what is left of partitions that are not used any more: points in collections of earlier settings and formats, and metadata of
   * earlier formats. `isWritten`: whether this version writes to the collection. Collections stay, because a writer may be about to use them.
   */
  async removeUnused(isWritten: (collection: string) => boolean): Promise<void> {
    this.#checkOpen();
    for (const name of await this.collections.names(namePrefix(this.layout.prefix, this.#kind)))
      await removeUnusedPoints(this, name, async () => {
        const known = isWritten(name) ? await this.meta.partitions() : [];
        return new Set(known.filter(({ collection }) => collection === name).map(({ partition }) => partitionKey(partition)));
      });
    for (const name of await this.collections.names(metaPrefix(this.layout.prefix, this.#kind)))
      if (name !== this.meta.name) await this.collections.drop(name);
  }

  close(): void {
    this.#closed = true;
    this.connection.close();
  }

  /** Called before the first point, so that every stored point can be found and dropped. Only once: `advance` does it as well. */
  async #register(partition: IndexPartition, name: string): Promise<void> {
    const known = `${partitionKey(partition)} ${name}`;
    if (this.#registered.has(known)) return;
    await this.meta.register(partition, name);
    this.#registered.add(known);
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the index is closed');
  }
}

/** @throws InvalidValue */
export const checkK = (k: number): void => {
  if (!Number.isInteger(k) || k < 1 || k > MAX_INDEX_RESULTS)
    throw new InvalidValue('k', `a whole number from 1 to ${MAX_INDEX_RESULTS}`, k);
};
