import type { Schemas } from '@qdrant/js-client-rest';
import { partitionKey, type IndexPartition, type ShareProgress } from '@palimpsest/knowledge/read-models';
import { generationId, START, tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';
import type { Connection } from '../connection/connection.ts';
import type { Layout } from '../connection/options.ts';
import type { Collections, CollectionPlan } from './collections.ts';
import { uuidOf } from './names.ts';
import { notAfter, positionIn, positionPayload } from './position-payload.ts';

const PAGE = 1000;
const SIDES = ['written', 'removed'] as const;

/**
 * Metadata, stored as points of a separate collection: the position of each partition, its languages, and
 * the progress of each share. There is no read-modify-write: every write is conditional, on the server.
 */
export class Meta {
  readonly #connection: Connection;
  readonly #collections: Collections;
  readonly #plan: CollectionPlan;
  readonly #ordering: Layout['ordering'];

  constructor(store: Readonly<{ connection: Connection; collections: Collections; layout: Layout }>, name: string) {
    this.#connection = store.connection;
    this.#collections = store.collections;
    this.#ordering = store.layout.ordering;
    // A vector of one number, since a point is expected to have one. It is never searched.
    const create = { vectors: { none: { size: 1, distance: 'Dot' as const } } };
    this.#plan = { name, create, indexes: { kind: 'keyword', partition: 'keyword', at_high: 'integer', at_low: 'integer' } };
  }

  get name(): string {
    return this.#plan.name;
  }

  async position(partition: IndexPartition, collection: string): Promise<Position> {
    const [found] = await this.#retrieve([partitionId(partition, collection)]);
    return positionIn(found?.payload);
  }

  /** Never moves back. The partition exists from then on. */
  async advance(partition: IndexPartition, collection: string, to: Position): Promise<void> {
    await this.#write([partitionPoint(partition, collection, to)], notAfter(to));
  }

  /** Creates the partition without changing its position. */
  async register(partition: IndexPartition, collection: string): Promise<void> {
    const point = partitionPoint(partition, collection, START);
    await this.#write([point], { must_not: [{ has_id: [point.id] }] });
  }

  /** Called before the points are removed: after an interrupted drop, the partition is known to be incomplete. */
  async restart(partition: IndexPartition, collection: string): Promise<void> {
    await this.#write([partitionPoint(partition, collection, START)]);
  }

  async forget(partition: IndexPartition): Promise<void> {
    await this.#delete([{ key: 'partition', match: { value: partitionKey(partition) } }]);
  }

  /** With the collections that hold points of them. */
  async partitions(): Promise<readonly Readonly<{ partition: IndexPartition; collection: string }>[]> {
    return (await this.#all([{ key: 'kind', match: { value: 'partition' } }])).map((payload) => ({
      partition: {
        scope: { tenant: tenantId(payload['tenant']), scope: vectorScope(payload['scope']) },
        generation: generationId(payload['generation']),
      },
      collection: String(payload['collection']),
    }));
  }

  async languages(partition: IndexPartition): Promise<readonly string[]> {
    const found = await this.#all([
      { key: 'kind', match: { value: 'language' } },
      { key: 'partition', match: { value: partitionKey(partition) } },
    ]);
    return found.map(({ language }) => String(language));
  }

  async addLanguages(partition: IndexPartition, languages: readonly string[]): Promise<void> {
    const key = partitionKey(partition);
    if (languages.length > 0)
      await this.#write(
        languages.map((language) => metaPoint(uuidOf('language', key, language), { kind: 'language', partition: key, language })),
      );
  }

  async progress(count: number): Promise<readonly ShareProgress[]> {
    const ids = Array.from({ length: count }, (_, share) => SIDES.map((side) => shareId(share, side)));
    const found = new Map((await this.#retrieve(ids.flat())).map(({ id, payload }) => [id, positionIn(payload)]));
    return ids.map(([written = '', removed = '']) => ({ written: found.get(written) ?? START, removed: found.get(removed) ?? START }));
  }

  async advanceShares(shares: readonly number[], progress: Partial<ShareProgress>): Promise<void> {
    for (const side of SIDES) {
      const to = progress[side];
      if (to === undefined || shares.length === 0) continue;
      await this.#write(
        shares.map((share) => metaPoint(shareId(share, side), { kind: 'share', share, side, ...positionPayload(to) })),
        notAfter(to),
      );
    }
  }

  async #write(points: Schemas['PointStruct'][], condition?: Schemas['Filter']): Promise<void> {
    const { name } = this.#plan;
    await this.#collections.update(this.#plan, `writing to ${name}`, (client) =>
      client.upsert(name, {
        wait: true,
        ordering: this.#ordering,
        points,
        ...(condition === undefined ? {} : { update_filter: condition }),
      }),
    );
  }

  async #delete(must: Schemas['Condition'][]): Promise<void> {
    const { name } = this.#plan;
    await this.#connection.update(`removing from ${name}`, (client) =>
      client.delete(name, { wait: true, ordering: this.#ordering, filter: { must } }),
    );
  }

  async #retrieve(ids: string[]) {
    if (ids.length === 0) return [];
    const { name } = this.#plan;
    return (await this.#connection.read(`reading ${name}`, (client) => client.retrieve(name, { ids, with_payload: true }))) ?? [];
  }

  async #all(must: Schemas['Condition'][]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const found: Readonly<Record<string, unknown>>[] = [];
    let offset: unknown;
    do {
      const from = typeof offset === 'string' ? { offset } : {};
      const page = await this.#connection.read(`reading ${this.name}`, (client) =>
        client.scroll(this.name, { filter: { must }, limit: PAGE, with_payload: true, ...from }),
      );
      for (const { payload } of page?.points ?? []) found.push(payload ?? {});
      offset = page?.next_page_offset;
    } while (typeof offset === 'string');
    return found;
  }
}

const metaPoint = (id: string, payload: Record<string, unknown>): Schemas['PointStruct'] => ({ id, vector: { none: [1] }, payload });

const shareId = (share: number, side: string): string => uuidOf('share', String(share), side);

const partitionId = (partition: IndexPartition, collection: string): string => uuidOf('partition', partitionKey(partition), collection);

const partitionPoint = (partition: IndexPartition, collection: string, at: Position): Schemas['PointStruct'] => {
  const {
    scope: { tenant, scope },
    generation,
  } = partition;
  return metaPoint(partitionId(partition, collection), {
    kind: 'partition',
    partition: partitionKey(partition),
    tenant,
    scope,
    generation,
    collection,
    ...positionPayload(at),
  });
};
