import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QdrantClient } from '@qdrant/js-client-rest';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '../src/index.ts';
import { aChunk, aPartition, aPosition, put, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const [mine, theirs] = [aPartition('deployment', 'acme'), aPartition('deployment', 'evil')];
const word = (number: number): LexicalPut => ({ write: 'put', chunkId: aChunk(number), text: 'apple', language: 'und', attributes: {} });
const openWords = (prefix: string, analyserVersion: string) =>
  openQdrantLexicalIndex({ ...server.address, prefix, analyse: (text) => [text], analyserVersion });

describe('What earlier settings and formats have left', () => {
  it('is removed, and what is used stays', async () => {
    const prefix = aPrefix();
    const client = new QdrantClient({ ...server.address, checkCompatibility: false });
    const index = openQdrantVectorIndex({ ...server.address, prefix, versionOf: () => VERSION });
    await index.put(mine, [{ put: put(1, 1), at: aPosition(1) }]);
    await index.put(theirs, [
      { put: put(2, 2), at: aPosition(2) },
      { put: put(3, 3), at: aPosition(2) },
    ]);
    const earlier = [`${prefix}_vectors_earlier_format`, `${prefix}_meta_vectors`] as const;
    for (const name of earlier) {
      await client.createCollection(name, { vectors: { size: 2, distance: 'Dot' } });
      await client.upsert(name, {
        wait: true,
        points: [
          { id: 1, vector: [1, 0], payload: { partition: 'of a tenant that is gone', title: 'a secret' } },
          { id: 2, vector: [1, 0], payload: {} },
        ],
      });
    }
    const other = openQdrantVectorIndex({ ...server.address, prefix: `${prefix}x`, versionOf: () => VERSION });
    await other.put(mine, [{ put: put(1, 1), at: aPosition(1) }]);
    await index.removeUnused();
    expect((await client.count(earlier[0])).count).toBe(0);
    expect((await client.collectionExists(earlier[1])).exists).toBe(false);
    expect([await index.count(mine), await index.count(theirs), await other.count(mine)]).toEqual([1, 2, 1]);
    for (const one of [index, other]) {
      await one.dropAll();
      await one.close();
    }
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
