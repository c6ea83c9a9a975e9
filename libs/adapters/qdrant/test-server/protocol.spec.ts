import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { QdrantClient, type Schemas } from '@qdrant/js-client-rest';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

// The behaviour that the adapters rely on, checked through the official client: the test server and a real one behave alike.
const server = new QdrantUnderTest();
let client: QdrantClient;
let name: string;
beforeAll(async () => {
  await server.start();
  client = new QdrantClient({ ...server.address, checkCompatibility: false });
});
afterAll(() => server.stop());
beforeEach(async () => {
  name = aPrefix();
  await client.createCollection(name, {
    vectors: { dot: { size: 2, distance: 'Dot' }, cosine: { size: 2, distance: 'Cosine' }, euclid: { size: 2, distance: 'Euclid' } },
    sparse_vectors: { words: { modifier: 'idf' } },
  });
});
afterEach(async () => void (await client.deleteCollection(name)));

const put = (points: Schemas['PointStruct'][], update_filter?: Schemas['Filter']) =>
  client.upsert(name, { wait: true, points, ...(update_filter === undefined ? {} : { update_filter }) });
const ids = (points: readonly Readonly<{ id: string | number }>[]) => points.map(({ id }) => id);
const matching = async (must: Schemas['Condition']) => ids((await client.scroll(name, { filter: { must: [must] }, limit: 100 })).points);
const statusOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 200,
    (error: unknown) => Reflect.get(Object(error), 'status'),
  );

describe('collections', () => {
  it('are created once, listed, and gone when they are deleted', async () => {
    expect(await statusOf(client.createCollection(name, { vectors: { size: 3, distance: 'Dot' } }))).toBe(409);
    expect((await client.getCollections()).collections.map((one) => one.name)).toContain(name);
    expect(await client.collectionExists(name)).toEqual({ exists: true });
    expect(await client.deleteCollection(name)).toBe(true);
    expect(await client.deleteCollection(name)).toBe(false);
    const asked = [
      client.count(name),
      client.scroll(name),
      client.query(name, { query: [1, 0] }),
      put([{ id: 1, vector: {} }]),
      client.getCollection(name),
    ];
    expect(await Promise.all(asked.map(statusOf))).toEqual(asked.map(() => 404));
  });

  it('can be used by their aliases', async () => {
    await put([{ id: 1, vector: {} }]);
    const alias = `${name}-alias`;
    await client.updateCollectionAliases({ actions: [{ create_alias: { collection_name: name, alias_name: alias } }] });
    expect((await client.count(alias)).count).toBe(1);
    expect((await client.getCollectionAliases(name)).aliases).toEqual([{ alias_name: alias, collection_name: name }]);
    await client.updateCollectionAliases({ actions: [{ delete_alias: { alias_name: alias } }] });
    expect(await statusOf(client.count(alias))).toBe(404);
  });
});

describe('points', () => {
  it('have unsigned integers and UUIDs as ids, in canonical form, numbers first', async () => {
    const uuid = '936da01f-9abd-4d9d-80c7-02af85c822a8';
    await put([
      { id: uuid.toUpperCase().replaceAll('-', ''), vector: {} },
      { id: 10, vector: {} },
      { id: 9, vector: {} },
    ]);
    const first = await client.scroll(name, { limit: 2 });
    expect([ids(first.points), first.next_page_offset]).toEqual([[9, 10], uuid]);
    const rest = await client.scroll(name, { limit: 2, offset: uuid });
    expect([ids(rest.points), rest.next_page_offset]).toEqual([[uuid], null]);
    for (const id of ['chunk-1', -1, 1.5, '']) expect(await statusOf(put([{ id, vector: {} }]))).toBe(400);
  });

  it('are refused for a wrong width, an unknown name, half a surrogate pair', async () => {
    for (const wrong of [
      { id: 2, vector: { dot: [1, 0, 0] } },
      { id: 2, vector: { nothing: [1, 0] } },
      { id: 2, vector: [1, 0] },
      { id: 2, vector: {}, payload: { text: '\ud800' } },
    ])
      expect(await statusOf(put([wrong]))).toBe(400);
    expect((await client.count(name)).count).toBe(0);
  });

  it('are replaced as a whole, vectors too', async () => {
    await put([{ id: 1, vector: { dot: [1, 0], words: { indices: [1], values: [1] } }, payload: { a: 1, b: 1 } }]);
    await put([{ id: 1, vector: { dot: [0, 1] }, payload: { a: 2 } }]);
    const [point] = await client.retrieve(name, { ids: [1, 2], with_vector: true });
    expect(point).toMatchObject({ id: 1, payload: { a: 2 }, vector: { dot: [0, 1] } });
    expect(Object.keys(point?.vector ?? {})).toEqual(['dot']);
    expect(Object.keys(point?.payload ?? {})).toEqual(['a']);
  });

  it('return their float32 values bit for bit with Dot, and normalised with Cosine', async () => {
    const value = Math.fround(0.1) * 3;
    await put([{ id: 1, vector: { dot: [Math.fround(value), Math.fround(1 / 3)], cosine: [3, 4] } }]);
    const [point] = await client.retrieve(name, { ids: [1], with_vector: true });
    const { dot, cosine } = point?.vector as Record<string, number[]>;
    expect(dot?.map(Math.fround)).toEqual([Math.fround(value), Math.fround(1 / 3)]);
    expect(cosine?.[0]).toBeCloseTo(0.6, 6);
  });

  it('that exist are overwritten only if they satisfy the condition; new ones are written in any case', async () => {
    await put([
      { id: 1, vector: {}, payload: { at: 5 } },
      { id: 2, vector: {}, payload: { at: 7 } },
    ]);
    await put(
      [1, 2, 3].map((id) => ({ id, vector: {}, payload: { at: 6 } })),
      { must: [{ key: 'at', range: { lte: 6 } }] },
    );
    expect((await client.retrieve(name, { ids: [1, 2, 3] })).map(({ payload }) => payload?.['at'])).toEqual([6, 7, 6]);
  });

  it('are deleted by id and by filter; their payload can be added to and replaced', async () => {
    await put([1, 2, 3].map((id) => ({ id, vector: {}, payload: { id, kept: true } })));
    await client.delete(name, { wait: true, points: [1] });
    await client.delete(name, { wait: true, filter: { must: [{ key: 'id', match: { value: 2 } }] } });
    await client.setPayload(name, { wait: true, payload: { more: 1 }, points: [3] });
    expect((await client.scroll(name, {})).points.map(({ payload }) => payload)).toEqual([{ id: 3, kept: true, more: 1 }]);
    await client.overwritePayload(name, { wait: true, payload: { only: 1 }, points: [3] });
    expect((await client.scroll(name, {})).points.map(({ payload }) => payload)).toEqual([{ only: 1 }]);
  });

  it('without `wait` are acknowledged, and visible after a while', async () => {
    expect(await client.upsert(name, { wait: false, points: [{ id: 1, vector: {} }] })).toMatchObject({ status: 'acknowledged' });
    for (let i = 0; i < 100 && (await client.count(name)).count === 0; i++) await sleep(20);
    expect((await client.count(name)).count).toBe(1);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await put([
      {
        id: 1,
        vector: {},
        payload: { word: 'a', number: 1, flag: true, list: ['x', 'y'], deep: { er: 'z' }, nothing: null, 'a.b': 'dotted' },
      },
      { id: 2, vector: {}, payload: { word: '1', number: 1.5, flag: false, list: [] } },
      { id: 3, vector: {}, payload: { word: 'true', number: -2 } },
    ]);
  });

  it('match by the JSON type of a value, and any element of a list', async () => {
    expect(await matching({ key: 'word', match: { value: '1' } })).toEqual([2]);
    expect(await matching({ key: 'number', match: { value: 1 } })).toEqual([1]);
    expect(await matching({ key: 'word', match: { value: true } })).toEqual([]);
    expect(await matching({ key: 'list', match: { value: 'y' } })).toEqual([1]);
    expect(await matching({ key: 'list', match: { any: ['q', 'x'] } })).toEqual([1]);
    expect(await matching({ key: 'word', match: { except: ['a', '1'] } })).toEqual([3]);
    expect(await matching({ key: 'deep.er', match: { value: 'z' } })).toEqual([1]);
    expect(await matching({ key: '"a.b"', match: { value: 'dotted' } })).toEqual([1]);
    expect(await statusOf(matching({ key: 'number', match: { value: 1.5 } }))).toBe(400);
  });

  it('compare numbers in ranges, and detect empty and null values', async () => {
    expect(await matching({ key: 'number', range: { gt: -2, lte: 1.5 } })).toEqual([1, 2]);
    expect(await matching({ key: 'word', range: { gte: 0 } })).toEqual([]);
    expect(await matching({ is_empty: { key: 'list' } })).toEqual([2, 3]);
    expect(await matching({ is_null: { key: 'nothing' } })).toEqual([1]);
    expect(await matching({ has_id: [3, 1, 7] })).toEqual([1, 3]);
  });

  it('are combined with must, must_not, should and min_should', async () => {
    const [a, one, flagged] = [
      { key: 'word', match: { value: 'a' } },
      { key: 'number', match: { value: 1 } },
      { key: 'flag', match: { value: false } },
    ];
    expect(await matching({ should: [a, flagged] })).toEqual([1, 2]);
    expect(await matching({ must_not: [a, flagged] })).toEqual([3]);
    expect(await matching({ min_should: { conditions: [a, one, flagged], min_count: 2 } })).toEqual([1]);
    expect(await statusOf(matching({ key: 'word' }))).toBe(422);
  });

  it('match the same after a payload index was created', async () => {
    for (const [field_name, field_schema] of [
      ['word', { type: 'keyword', is_tenant: true }],
      ['number', 'integer'],
      ['list', 'keyword'],
    ] as const)
      await client.createPayloadIndex(name, { wait: true, field_name, field_schema });
    expect(await matching({ key: 'word', match: { any: ['a', 'true'] } })).toEqual([1, 3]);
    expect(await matching({ key: 'list', match: { value: 'x' } })).toEqual([1]);
    expect((await client.getCollection(name)).payload_schema['word']).toMatchObject({ data_type: 'keyword' });
  });
});

describe('queries', () => {
  const found = async (asked: Parameters<QdrantClient['query']>[1]) => (await client.query(name, asked)).points;

  it('rank by Dot, Cosine and Euclid, within a filter, a threshold and a page', async () => {
    await put(
      [
        [1, 0],
        [2, 0],
        [0, 1],
      ].map((vector, i) => ({ id: i + 1, vector: { dot: vector, cosine: vector, euclid: vector }, payload: { i } })),
    );
    const scores = async (using: string, more = {}) => (await found({ query: [1, 0], using, ...more })).map(({ id, score }) => [id, score]);
    expect(await scores('dot')).toEqual([
      [2, 2],
      [1, 1],
      [3, 0],
    ]);
    expect((await scores('cosine')).map(([, score]) => Number(score).toFixed(5))).toEqual(['1.00000', '1.00000', '0.00000']);
    expect((await scores('euclid', { limit: 1 }))[0]).toEqual([1, 0]);
    expect(await scores('dot', { filter: { must: [{ key: 'i', range: { gte: 1 } }] }, score_threshold: 1 })).toEqual([[2, 2]]);
    expect(await scores('dot', { limit: 1, offset: 1 })).toEqual([[1, 1]]);
    expect(await found({ query: [1, 0], using: 'dot', limit: 1 })).not.toMatchObject([{ payload: { i: 1 } }]);
    expect(await found({ query: [1, 0], using: 'dot', limit: 1, with_payload: ['i'] })).toMatchObject([{ payload: { i: 1 } }]);
    for (const wrong of [
      { query: [1, 0, 0], using: 'dot' },
      { query: [1, 0], using: 'nothing' },
    ])
      expect(await statusOf(found(wrong))).toBe(400);
    expect(await statusOf(found({ query: [1, 0], using: 'dot', limit: 0 }))).toBe(422);
  });

  it('weigh sparse vectors by idf over the whole collection, whatever the filter', async () => {
    await put(
      [1, 2, 3].map((id) => ({
        id,
        vector: { words: { indices: id === 1 ? [7, 4_294_967_295] : [7], values: id === 1 ? [1, 0.5] : [1] } },
        payload: { id },
      })),
    );
    const idf = (holders: number) => Math.log(1 + (3 - holders + 0.5) / (holders + 0.5));
    const [best, ...others] = await found({
      query: { indices: [4_294_967_295, 7], values: [2, 1] },
      using: 'words',
      filter: { must: [{ has_id: [1, 2] }] },
    });
    expect([best?.id, ids(others)]).toEqual([1, [2]]);
    expect(best?.score).toBeCloseTo(idf(1) + idf(3), 5);
    expect(await found({ query: { indices: [8], values: [1] }, using: 'words' })).toEqual([]);
    expect(await statusOf(found({ query: { indices: [1, 1], values: [1, 1] }, using: 'words' }))).toBe(422);
  });

  it('weigh sparse vectors by idf over a part of the collection, if it is named', async () => {
    await put(
      [1, 2, 3, 4].map((id) => ({
        id,
        vector: { words: { indices: id === 1 ? [7, 8] : [7], values: id === 1 ? [1, 1] : [1] } },
        payload: { part: id < 4 ? 'a' : 'b' },
      })),
    );
    await client.createPayloadIndex(name, { wait: true, field_name: 'part', field_schema: 'keyword' });
    const corpus = { must: [{ key: 'part', match: { value: 'a' } }] };
    const idf = (holders: number, count: number) => Math.log(1 + (count - holders + 0.5) / (holders + 0.5));
    const query = { indices: [7, 8], values: [1, 1] };
    const scoreOf = async (params: Schemas['SearchParams']) => (await found({ query, using: 'words', filter: corpus, params }))[0]?.score;
    expect(await scoreOf({ idf: { corpus } })).toBeCloseTo(idf(3, 3) + idf(1, 3), 5);
    expect(await scoreOf({ idf: 'global' })).toBeCloseTo(idf(4, 4) + idf(1, 4), 5);
    expect(await scoreOf({})).toBeCloseTo(idf(4, 4) + idf(1, 4), 5);
  });

  it('fuse prefetched results by reciprocal rank', async () => {
    await put([1, 2, 3].map((id) => ({ id, vector: { dot: [id, 0], words: { indices: [1], values: [4 - id] } } })));
    const prefetch = [
      { query: [1, 0], using: 'dot', limit: 3 },
      { query: { indices: [1], values: [1] }, using: 'words', limit: 1 },
    ];
    const fused = await found({ prefetch, query: { fusion: 'rrf' }, limit: 3 });
    expect([fused[0]?.id, ids(fused).sort()]).toEqual([1, [1, 2, 3]]);
    const [one, two] = await client.queryBatch(name, {
      searches: [
        { query: [1, 0], using: 'dot', limit: 1 },
        { query: [-1, 0], using: 'dot', limit: 1 },
      ],
    });
    expect([ids(one?.points ?? []), ids(two?.points ?? [])]).toEqual([[3], [1]]);
  });
});
