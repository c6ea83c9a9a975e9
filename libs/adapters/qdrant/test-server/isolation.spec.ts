import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QdrantClient } from '@qdrant/js-client-rest';
import fc from 'fast-check';
import type { Filter } from '@palimpsest/knowledge/access';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { openQdrantLexicalIndex, openQdrantVectorIndex, type QdrantVectorIndex } from '../src/index.ts';
import { aChunk, aPartition, aPosition, aVector, entriesOf, KEYS, put, readable, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const [mine, theirs] = [aPartition('deployment', 'acme'), aPartition('deployment', 'evil')];
/** Attributes with the names of our payload keys, which claim that their chunk belongs to `mine`. */
const forged = {
  partition: partitionKey(mine),
  tenant: 'acme',
  scope: 'deployment',
  generation: 'g1',
  chunk: aChunk(1),
  at_high: 0,
  at_low: 0,
  has: '["tenant","acme"]',
  'numbers.x': 1,
  'payload.partition': partitionKey(mine),
  '"partition"': partitionKey(mine),
  'partition[]': partitionKey(mine),
};

const withIndex = async (body: (index: QdrantVectorIndex, prefix: string) => Promise<void>): Promise<void> => {
  const prefix = aPrefix();
  const index = openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix, versionOf: () => VERSION });
  try {
    await index.apply(mine, [put(1, 1), put(2, 2, { tenant: 'evil', language: 'en' })], aPosition(1));
    await index.apply(theirs, [put(1, 1, forged), put(3, 3, forged), put(4, 1)], aPosition(1));
    await body(index, prefix);
  } finally {
    await index.dropAll();
    await index.close();
  }
};

const field = fc.constantFrom(
  'partition',
  'tenant',
  'scope',
  'has',
  'numbers.x',
  'partition[]',
  '"partition"',
  'language',
  'chunk',
  'at_low',
  '',
  'a.b[0]."c"',
);
const value = fc.oneof(
  fc.constantFrom('evil', 'acme', partitionKey(mine), partitionKey(theirs), aChunk(3), ''),
  fc.constantFrom(0, 1, -0, 1.5),
  fc.boolean(),
);
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ eq: fc.record({ field, value }) }),
  fc.record({ in: fc.record({ field, values: fc.array(value, { minLength: 1, maxLength: 3 }) }) }),
  fc.record({ exists: fc.record({ field }) }),
  fc.record({ prefix: fc.record({ field, value: fc.constantFrom('', 'a', 'e') }) }),
  fc.record({ range: fc.record({ field, lte: value }) }),
);
const { filter: tricks } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.record({ not: tie('filter') }),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

describe('the partitions of a collection', () => {
  it('never see each other’s chunks, whatever a filter says', () =>
    withIndex((index) =>
      fc.assert(
        fc.asyncProperty(tricks, async (filter) => {
          const hits = await index.search(readable(mine), aVector(3), { k: 1000, filter });
          for (const { chunkId } of hits) expect([aChunk(1), aChunk(2)]).toContain(chunkId);
          const [closest] = await index.search(readable(theirs), aVector(2), { k: 1, filter: { not: filter } });
          expect(closest?.chunkId).not.toBe(aChunk(2));
        }),
        { numRuns: 60 },
      ),
    ));

  it('are not moved, counted, listed or removed together because of attributes with the names of our payload keys', () =>
    withIndex(async (index) => {
      expect([await index.count(mine), await index.count(theirs)]).toEqual([2, 3]);
      expect((await entriesOf(index, mine)).map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(2)]);
      expect(
        await index.search(readable(theirs), aVector(3), { k: 5, filter: { eq: { field: 'partition', value: partitionKey(mine) } } }),
      ).toHaveLength(2);
      await index.drop(mine);
      expect([await index.count(mine), await index.count(theirs)]).toEqual([0, 3]);
    }));

  it('share one collection per embedding version, so that only the filter separates them', () =>
    withIndex(async (_, prefix) => {
      const client = new QdrantClient({ ...server.address, checkCompatibility: false });
      const names = (await client.getCollections()).collections.map(({ name }) => name).filter((name) => name.startsWith(prefix));
      expect(names.filter((name) => name.startsWith(`${prefix}_vectors-`))).toHaveLength(1);
      const [data = ''] = names.filter((name) => name.startsWith(`${prefix}_vectors-`));
      expect((await client.count(data)).count).toBe(5);
      expect((await client.getCollection(data)).payload_schema['partition']).toMatchObject({
        data_type: 'keyword',
        params: { is_tenant: true },
      });
    }));

  it('hide a point without a partition, or with another one than in its id', () =>
    withIndex(async (index, prefix) => {
      const client = new QdrantClient({ ...server.address, checkCompatibility: false });
      const [data = ''] = (await client.getCollections()).collections
        .map(({ name }) => name)
        .filter((name) => name.startsWith(`${prefix}_vectors-`));
      await client.setPayload(data, {
        wait: true,
        payload: { partition: [partitionKey(mine), partitionKey(theirs)] },
        filter: { must: [{ key: 'chunk', match: { value: aChunk(4) } }] },
      });
      const seen = async (partition = mine) =>
        (await index.search(readable(partition), aVector(1), { k: 10 })).map(({ chunkId }) => chunkId);
      expect(await seen(mine)).not.toContain(aChunk(4));
      expect(await seen(theirs)).not.toContain(aChunk(4));
    }));

  it('keep their texts separate as well', async () => {
    const analyse = (text: string) => text.split(' ');
    const index = openQdrantLexicalIndex({ ...server.address, keys: KEYS, prefix: aPrefix(), analyse, analyserVersion: 'words@1' });
    const text = (number: number, words: string, language = 'en') => ({
      write: 'put' as const,
      chunkId: aChunk(number),
      text: words,
      language,
      attributes: forged,
    });
    await index.apply(mine, [text(1, 'apple berry')], aPosition(1));
    await index.apply(theirs, [text(2, 'apple berry'), text(3, 'secret', 'de')], aPosition(1));
    for (const filter of [{ eq: { field: 'tenant', value: 'acme' } }, { not: { exists: { field: 'nothing' } } }]) {
      expect((await index.search(readable(mine), 'apple secret', { k: 10, filter })).map(({ chunkId }) => chunkId)).toEqual([aChunk(1)]);
      expect((await index.search(readable(theirs), 'apple', { k: 10, filter })).map(({ chunkId }) => chunkId)).toEqual([aChunk(2)]);
    }
    expect(await index.search(readable(mine), 'secret', { k: 10 })).toEqual([]);
    await index.dropAll();
    await index.close();
  });
});
