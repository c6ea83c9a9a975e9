import type { Schemas } from '@qdrant/js-client-rest';
import { listedChunks } from '@palimpsest/contracts';
import type { Attributes } from '@palimpsest/knowledge/access';
import { partitionKey, type IndexEntry, type IndexPartition, type Ordered } from '@palimpsest/knowledge/read-models';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import type { Connection } from '../connection/connection.ts';
import type { Layout } from '../connection/options.ts';
import { attributePayload } from './attribute-payload.ts';
import type { Collections, CollectionPlan } from './collections.ts';
import { uuidOf } from './names.ts';
import { overwritable } from './ordered-writes.ts';
import type { PartitionSeal } from './partition-seal.ts';
import { positionPayload } from './position-payload.ts';
import { batches, writeAll } from './write-batches.ts';

type Condition = Schemas['Condition'];

/** A chunk to be written. `bytes`: approximate size of `vector` as JSON. `payload`: what only its kind of index has; it is sealed. */
export type Draft = Readonly<{
  chunkId: ChunkId;
  vector: Record<string, number[][] | Schemas['SparseVector']>;
  bytes: number;
  attributes: Attributes;
  digest: string;
  payload?: Readonly<Record<string, string>>;
}>;

export type OrderedDraft = Ordered<{ draft: Draft }>;

export type PointQuery = Readonly<{
  query: Schemas['QueryRequest']['query'];
  using: string;
  limit: number;
  params: Schemas['SearchParams'];
  payload: readonly string[];
  withVector: boolean;
  /** For sparse vectors: words count as rare by how many chunks of this partition have them, not of all. */
  ownFrequencies?: boolean;
}>;

export type FoundPoint = Readonly<{
  id: string | number;
  chunkId: ChunkId;
  score: number;
  payload: Readonly<Record<string, unknown>>;
  vector: unknown;
}>;

/** Page size of `entries` and of `vectors`. */
const PAGE = 1000;
/** Approximate size of the rest of a payload. */
const PAYLOAD_BYTES = 1_200;
/** What no put can have: of a point whose digest does not open, because another program has written it. */
const UNREADABLE = '0'.repeat(64);

/** Indexed in every collection of chunks. `is_tenant` keeps a partition's points together on disk and gives it its own graph. */
export const POINT_INDEXES: CollectionPlan['indexes'] = {
  partition: { type: 'keyword', is_tenant: true },
  has: 'keyword',
  at_high: 'integer',
  at_low: 'integer',
};

/**
 * The points of one partition in one collection. Every request goes through `#own`, which adds the partition to the
 * filter. Results are checked again: a result that names another partition is a fault of the server and is dropped.
 */
export class PartitionPoints {
  readonly #connection: Connection;
  readonly #collections: Collections;
  readonly #layout: Layout;
  readonly #plan: Pick<CollectionPlan, 'name'> & Partial<CollectionPlan>;
  readonly #key: string;

  constructor(
    store: Readonly<{ connection: Connection; collections: Collections; layout: Layout }>,
    plan: CollectionPlan | Pick<CollectionPlan, 'name'>,
    partition: IndexPartition,
  ) {
    this.#connection = store.connection;
    this.#collections = store.collections;
    this.#layout = store.layout;
    this.#plan = plan;
    this.#key = partitionKey(partition);
  }

  /** Writes points that are new or were stored at or before their position. Waits until they can be found. A chunk may occur only once. */
  async upsert(drafts: readonly OrderedDraft[], seal: PartitionSeal): Promise<void> {
    const { name, create, indexes } = this.#plan;
    if (create === undefined || indexes === undefined) throw new Error('a partition that is opened for writing needs a complete plan');
    const limits = { points: this.#layout.batchPoints, bytes: this.#layout.batchBytes };
    await writeAll(
      batches(drafts, ({ draft }) => draft.bytes + PAYLOAD_BYTES, limits),
      async (batch) => {
        const ids = batch.map(({ draft, at }) => ({ id: this.#id(draft.chunkId), at }));
        const points = batch.map(({ draft, at }, i) => ({
          id: ids[i]?.id ?? '',
          vector: draft.vector,
          payload: this.#payload(draft, at, seal),
        }));
        const update_filter = overwritable(ids);
        await this.#collections.update({ name, create, indexes }, `writing to ${name}`, (client) =>
          client.upsert(name, { wait: true, ordering: this.#layout.ordering, points, update_filter }),
        );
      },
    );
  }

  /** Removes chunks that were put at or before the position given for each. */
  async remove(removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    for (let from = 0; from < removals.length; from += PAGE) {
      const ids = removals.slice(from, from + PAGE).map(({ chunkId, at }) => ({ id: this.#id(chunkId), at }));
      await this.#delete([{ has_id: ids.map(({ id }) => id) }, overwritable(ids)]);
    }
  }

  async removeAll(): Promise<void> {
    await this.#delete([]);
  }

  async count(): Promise<number> {
    const found = await this.#connection.read(`counting in ${this.#plan.name}`, (client) =>
      client.count(this.#plan.name, { filter: this.#own([]), exact: true }),
    );
    return found?.count ?? 0;
  }

  /** All chunks with their digests, in the order of chunk ids. Point ids are hashes, so all are read and then sorted: 96 bytes each. */
  async entries(seal: PartitionSeal): Promise<readonly IndexEntry[]> {
    const lines: string[] = [];
    let offset: string | number | undefined;
    do {
      const page = await this.#scroll([], { limit: PAGE, payload: ['chunk', 'digest'], ...(offset === undefined ? {} : { offset }) });
      for (const { payload } of page.points) lines.push(`${String(payload?.['chunk'])} ${digestIn(seal, payload ?? {})}`);
      offset = page.next;
    } while (offset !== undefined);
    return lines.sort().map((line) => {
      const [chunkId = '', digest = ''] = line.split(' ');
      return { chunkId: chunkId as ChunkId, digest };
    });
  }

  /** Best first, as the server ranks them; nothing if the collection does not exist. */
  async query(asked: PointQuery, conditions: readonly Condition[]): Promise<readonly FoundPoint[]> {
    const { name } = this.#plan;
    const found = await this.#connection.read(`searching ${name}`, (client) => client.query(name, this.#request(asked, conditions)));
    return this.#found(found?.points ?? []);
  }

  /** The same for several queries in one request. */
  async queryEach(asked: readonly PointQuery[]): Promise<readonly (readonly FoundPoint[])[]> {
    if (asked.length === 0) return [];
    const { name } = this.#plan;
    const searches = asked.map((one) => this.#request(one, []));
    const found = await this.#connection.read(`searching ${name}`, (client) => client.queryBatch(name, { searches }));
    return asked.map((_, i) => this.#found(found?.[i]?.points ?? []));
  }

  /** The vectors of points by their ids. */
  async vectors(ids: readonly (string | number)[], using: string): Promise<ReadonlyMap<string | number, unknown>> {
    const found = new Map<string | number, unknown>();
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = await this.#scroll([{ has_id: ids.slice(from, from + PAGE) }], { limit: PAGE, payload: [], using });
      for (const { id, vector } of page.points) found.set(id, vector);
    }
    return found;
  }

  /** All vectors of the points with the lowest ids. Ids are hashes, so the sample depends only on the stored data. */
  async sample(limit: number, using: string): Promise<readonly (readonly Float32Array[])[]> {
    const { points } = await this.#scroll([], { limit, payload: [], using });
    return points.map(({ vector }) => {
      const values: unknown = typeof vector === 'object' && vector !== null ? Reflect.get(vector, using) : undefined;
      return Array.isArray(values) ? (values as readonly (readonly number[])[]).map((one) => Float32Array.from(one)) : [];
    });
  }

  #request(asked: PointQuery, conditions: readonly Condition[]): Schemas['QueryRequest'] {
    const { query, using, limit, params, payload, withVector, ownFrequencies = false } = asked;
    return {
      ...(query === undefined ? {} : { query }),
      using,
      limit,
      params: ownFrequencies ? { ...params, idf: { corpus: this.#own([]) } } : params,
      filter: this.#own(conditions),
      with_payload: ['partition', 'chunk', ...payload],
      with_vector: withVector ? [using] : false,
    };
  }

  #found(points: readonly Schemas['ScoredPoint'][]): readonly FoundPoint[] {
    return points
      .filter((point) => this.#isOwn(point))
      .map(({ id, score, payload: held, vector }) => ({
        id,
        payload: held ?? {},
        vector,
        chunkId: held?.['chunk'] as ChunkId,
        // The server writes the shortest decimal for this float32.
        score: Math.fround(score),
      }));
  }

  async #scroll(
    conditions: readonly Condition[],
    { limit, payload, offset, using }: Readonly<{ limit: number; payload: readonly string[]; offset?: string | number; using?: string }>,
  ) {
    const { name } = this.#plan;
    const page = await this.#connection.read(`reading ${name}`, (client) =>
      client.scroll(name, {
        filter: this.#own(conditions),
        limit,
        with_payload: ['partition', ...payload],
        with_vector: using === undefined ? false : [using],
        ...(offset === undefined ? {} : { offset }),
      }),
    );
    const next = page?.next_page_offset;
    return {
      points: (page?.points ?? []).filter((point) => this.#isOwn(point)),
      next: typeof next === 'string' || typeof next === 'number' ? next : undefined,
    };
  }

  async #delete(conditions: readonly Condition[]): Promise<void> {
    const { name } = this.#plan;
    await this.#connection.update(`removing from ${name}`, (client) =>
      client.delete(name, { wait: true, ordering: this.#layout.ordering, filter: this.#own(conditions) }),
    );
  }

  /** The only place that builds a filter: every request is limited to this partition. */
  #own(conditions: readonly Condition[]): Schemas['Filter'] {
    return { must: [{ key: 'partition', match: { value: this.#key } }, ...conditions] };
  }

  #isOwn({ payload }: Readonly<{ payload?: Readonly<Record<string, unknown>> | null | undefined }>): boolean {
    return payload?.['partition'] === this.#key;
  }

  /** The condition that a search is limited to these chunks. */
  among(selection: ChunkSelection): Condition {
    const has_id = listedChunks(selection).map((chunk) => this.#id(chunk));
    return 'only' in selection ? { has_id } : { must_not: [{ has_id }] };
  }

  #id(chunkId: ChunkId): string {
    return uuidOf(this.#key, chunkId);
  }

  /** In the clear: the names of the partition, the id of the chunk and the position. Nothing of the document. */
  #payload({ chunkId, attributes, digest, payload = {} }: Draft, at: Position, seal: PartitionSeal): Record<string, unknown> {
    const own = Object.entries(payload).map(([field, value]) => [field, seal.seal(field, chunkId, Buffer.from(value))] as const);
    return {
      ...Object.fromEntries(own),
      partition: this.#key,
      chunk: chunkId,
      [DIGEST]: seal.seal(DIGEST, chunkId, Buffer.from(digest, 'hex')),
      ...attributePayload(seal, chunkId, attributes),
      ...positionPayload(at),
    };
  }
}

const DIGEST = 'digest';

const digestIn = (seal: PartitionSeal, payload: Readonly<Record<string, unknown>>): string =>
  seal.open(DIGEST, payload['chunk'] as ChunkId, payload[DIGEST])?.toString('hex') ?? UNREADABLE;
