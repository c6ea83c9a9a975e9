import { setImmediate } from 'node:timers/promises';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { partitionKey, type IndexEntry, type IndexPartition, type IndexRemoval, type Ordered } from '@palimpsest/knowledge/read-models';
import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import { Connection } from '../connection/connection.ts';
import { connectionSettings, layoutOf, type Layout, type QdrantOptions } from '../connection/options.ts';
import { Collections, type CollectionPlan } from './collections.ts';
import { Meta } from './meta.ts';
import { isOfEarlierFormat, metaName, namePrefix, type CollectionKind } from './names.ts';
import { latest } from './ordered-writes.ts';
import { PartitionLocks } from './partition-locks.ts';
import { PartitionPoints, type Draft } from './partition-points.ts';
import { partitionSeal, type PartitionSeal } from './partition-seal.ts';
import { removeUnusedPoints } from './unused-points.ts';

/** `draftOf` throws InvalidValue for an invalid put; then nothing of the call is written. `before`: work to do before the write. */
export type Writing<Put> = Readonly<{
  plan: CollectionPlan;
  draftOf: (put: Put, seal: PartitionSeal, field: string) => Draft;
  before?: () => Promise<void>;
}>;

type AnyPut = Readonly<{ write: 'put'; chunkId: ChunkId }>;

/** What both indexes share: partitions in collections, and the order of writes. */
export class PartitionStore {
  readonly connection: Connection;
  readonly collections: Collections;
  readonly layout: Layout;
  readonly meta: Meta;
  readonly #keys: QdrantOptions['keys'];
  readonly #earlierAfterMs: number;
  readonly #openedAt = performance.now();
  readonly #kind: CollectionKind;
  readonly #locks = new PartitionLocks();
  readonly #registered = new Set<string>();
  #closed = false;

  constructor(options: QdrantOptions, kind: CollectionKind) {
    this.connection = new Connection(connectionSettings(options), kind === 'lexical' ? 19 : 16);
    this.layout = layoutOf(options);
    this.collections = new Collections(this.connection, this.layout);
    this.#keys = options.keys;
    this.#earlierAfterMs = options.earlierFormatsMs ?? 0;
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
    await this.#writeSealed(partition, async (seal) => {
      const { plan, draftOf, before } = await begin();
      const reached = this.meta.position(partition, plan.name);
      reached.catch(() => undefined);
      // The request is sent while vectors become numbers, which takes as long as its answer.
      await setImmediate();
      const last = new Map(
        writes.map((write, i) => [write.chunkId, write.write === 'put' ? draftOf(write, seal, `writes[${i}]`) : undefined]),
      );
      // At its own position, a partition accepts a further call: puts come first, removals follow.
      if (upTo < (await reached)) return;
      const points = this.points(plan, partition);
      if (last.size > 0) await this.#register(partition, plan.name);
      await before?.();
      const entries = [...last];
      await points.upsert(
        entries.flatMap(([, draft]) => (draft === undefined ? [] : [{ draft, at: upTo }])),
        seal,
      );
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
    await this.#sealed(partition, undefined, async (seal) => {
      const drafts = puts.map(({ put, at }, i) => ({ draft: draftOf(put, seal, `puts[${i}].put`), at }));
      await this.meta.register(partition, plan.name);
      await before?.();
      await points.upsert(
        latest(drafts, ({ draft }) => draft.chunkId),
        seal,
      );
    });
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

  /** The same, with the key of the scope. Once that is destroyed, `none` is found. */
  readSealed<T>(partition: IndexPartition, none: T, work: (seal: PartitionSeal) => Promise<T>): Promise<T> {
    return this.read(partition, () => this.#sealed(partition, none, work));
  }

  async *entries(partition: IndexPartition, plan: CollectionPlan): AsyncIterable<IndexEntry> {
    yield* await this.readSealed<readonly IndexEntry[]>(partition, [], (seal) => this.points(plan, partition).entries(seal));
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
   * Removes what is left of partitions that are not used any more: points in collections of earlier settings, and everything of earlier
   * formats. `isWritten`: whether this version writes to the collection. Collections of its own format stay, because a writer may be about to
   * use them.
   */
  async removeUnused(isWritten: (collection: string) => boolean): Promise<void> {
    this.#checkOpen();
    for (const name of await this.collections.names(namePrefix(this.layout.prefix, this.#kind)))
      await removeUnusedPoints(this, name, async () => {
        const known = isWritten(name) ? await this.meta.partitions() : [];
        return new Set(known.filter(({ collection }) => collection === name).map(({ partition }) => partitionKey(partition)));
      });
    await this.#dropEarlierFormats();
  }

  /** Removes what earlier formats have left, unless processes of an earlier version may still use it: not soon after the start of this one. */
  async purge(): Promise<void> {
    this.#checkOpen();
    if (performance.now() - this.#openedAt >= this.#earlierAfterMs) await this.#dropEarlierFormats();
  }

  close(): void {
    this.#closed = true;
    this.connection.close();
  }

  /** Deletes their files: in them, titles, sources, labels and words were in the clear. */
  async #dropEarlierFormats(): Promise<void> {
    const { prefix } = this.layout;
    for (const name of await this.collections.names(`${prefix}_`))
      if (isOfEarlierFormat(prefix, this.#kind, name)) await this.collections.drop(name);
  }

  /** Nothing is stored for a scope whose key was destroyed. */
  async #writeSealed(partition: IndexPartition, work: (seal: PartitionSeal) => Promise<void>): Promise<void> {
    this.#checkOpen();
    await this.#locks.write(partitionKey(partition), () => this.#sealed(partition, undefined, work));
  }

  /** The key is asked for with each use, so that its destruction is noticed. */
  async #sealed<T>(partition: IndexPartition, gone: T, work: (seal: PartitionSeal) => Promise<T>): Promise<T> {
    try {
      return await work(await partitionSeal(this.#keys, partition));
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return gone;
      throw error;
    }
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
