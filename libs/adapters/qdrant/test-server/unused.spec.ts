import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QdrantClient } from '@qdrant/js-client-rest';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { openQdrantLexicalIndex, openQdrantVectorIndex, QDRANT_FORMAT } from '../src/index.ts';
import { aChunk, aPartition, aPosition, KEYS, put, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const [mine, theirs] = [aPartition('deployment', 'acme'), aPartition('deployment', 'evil')];
const word = (number: number): LexicalPut => ({ write: 'put', chunkId: aChunk(number), text: 'apple', language: 'und', attributes: {} });
const openWords = (prefix: string, analyserVersion: string) =>
  openQdrantLexicalIndex({ ...server.address, keys: KEYS, prefix, analyse: (text) => [text], analyserVersion });

describe('What earlier settings and formats have left', () => {
  it('is removed, and what is used stays', async () => {
    const prefix = aPrefix();
    const client = new QdrantClient({ ...server.address, checkCompatibility: false });
    const index = openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix, versionOf: () => VERSION });
    await index.put(mine, [{ put: put(1, 1), at: aPosition(1) }]);
    await index.put(theirs, [
      { put: put(2, 2), at: aPosition(2) },
      { put: put(3, 3), at: aPosition(2) },
    ]);
    const settings = `${prefix}_vectors-${QDRANT_FORMAT}_earlier_settings`;
    const formats = [`${prefix}_vectors_earlier_format`, `${prefix}_meta_vectors-2`, `${prefix}_meta_vectors`];
    for (const name of [settings, ...formats]) {
      await client.createCollection(name, { vectors: { size: 2, distance: 'Dot' } });
      await client.upsert(name, {
        wait: true,
        points: [
          { id: 1, vector: [1, 0], payload: { partition: 'of a tenant that is gone', title: 'a secret' } },
          { id: 2, vector: [1, 0], payload: {} },
        ],
      });
    }
    const other = openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix: `${prefix}x`, versionOf: () => VERSION });
    await other.put(mine, [{ put: put(1, 1), at: aPosition(1) }]);
    await index.removeUnused();
    expect((await client.count(settings)).count).toBe(0);
    expect(await Promise.all(formats.map(async (name) => (await client.collectionExists(name)).exists))).toEqual([false, false, false]);
    expect([await index.count(mine), await index.count(theirs), await other.count(mine)]).toEqual([1, 2, 1]);
    for (const one of [index, other]) {
      await one.dropAll();
      await one.close();
    }
  });

  it('in another format is dropped by a purge, once processes of an earlier version had the time to end, and nothing else', async () => {
    const prefix = aPrefix();
    const client = new QdrantClient({ ...server.address, checkCompatibility: false });
    const names = ['vectors', 'lexical'].flatMap((kind) => [`${prefix}_${kind}_earlier`, `${prefix}_meta_${kind}`]);
    for (const name of names) await client.createCollection(name, { vectors: { size: 2, distance: 'Dot' } });
    const left = async () => {
      const { collections } = await client.getCollections();
      return collections.filter(({ name }) => names.includes(name)).map(({ name }) => name);
    };
    const opened = (earlierFormatsMs: number) => {
      const options = { ...server.address, keys: KEYS, prefix, earlierFormatsMs };
      return [
        openQdrantVectorIndex({ ...options, versionOf: () => VERSION }),
        openQdrantLexicalIndex({ ...options, analyse: (text) => [text], analyserVersion: 'words@1' }),
      ] as const;
    };
    const [early, late] = [opened(600_000), opened(0)];
    await early[0].put(mine, [{ put: put(1, 1), at: aPosition(1) }]);
    for (const index of early) await index.purge?.();
    expect((await left()).sort()).toEqual([...names].sort());
    await late[0].purge?.();
    expect((await left()).sort()).toEqual(names.slice(2).sort());
    await late[1].purge?.();
    expect([await left(), await late[0].count(mine)]).toEqual([[], 1]);
    await late[0].dropAll();
    for (const index of [...early, ...late]) await index.close();
  });

  it('includes words of another analyser', async () => {
    const prefix = aPrefix();
    const [earlier, now] = [openWords(prefix, 'words@1'), openWords(prefix, 'words@2')];
    for (const one of [earlier, now]) await one.put(mine, [{ put: word(1), at: aPosition(1) }]);
    await now.removeUnused();
    expect([await earlier.count(mine), await now.count(mine)]).toEqual([0, 1]);
    await now.dropAll();
    for (const one of [earlier, now]) await one.close();
  });
});
