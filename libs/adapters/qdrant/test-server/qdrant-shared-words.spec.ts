import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { describeSharedWords } from '@palimpsest/test-kit';
import { openQdrantLexicalIndex } from '../src/index.ts';
import { aChunk, aPartition, aPosition, readable } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const analyse = (text: string): readonly string[] => text.match(/[a-z0-9]+/g) ?? [];

const putText = (number: number, text: string): LexicalPut => ({
  write: 'put',
  chunkId: aChunk(number),
  text,
  language: 'und',
  attributes: {},
});

const openOne = (prefix: string) =>
  openQdrantLexicalIndex({ ...server.address, prefix, analyse, analyserVersion: 'words@1', averageLength: 5 });

describeSharedWords('Qdrant', async () => {
  const prefix = aPrefix();
  const [one, two, index] = [openOne(prefix), openOne(prefix), openOne(prefix)];
  return {
    writers: [one, two],
    index,
    // The tests cannot restart a real server.
    restart: async () => (server.owned ? server.process.restart() : undefined),
    dispose: async () => {
      await index.dropAll();
      for (const each of [one, two, index]) await each.close();
    },
  };
});

describe('Words that an earlier version applied in batches', () => {
  it('are replaced and removed by ordered writes of the events in them, and of later ones', async () => {
    const index = openOne(aPrefix());
    const partition = aPartition();
    const found = async (text: string) => (await index.search(readable(partition), text, { k: 10 })).map(({ chunkId }) => chunkId);
    await index.apply(partition, [putText(1, 'apple'), putText(2, 'apple'), putText(3, 'apple')], aPosition(50));
    await index.put(partition, [{ put: putText(1, 'berry'), at: aPosition(7) }]);
    await index.remove(partition, [{ chunkId: aChunk(2), at: aPosition(8) }]);
    expect([await found('apple'), await found('berry')]).toEqual([[aChunk(3)], [aChunk(1)]]);
    await index.put(partition, [{ put: putText(3, 'cedar'), at: aPosition(60) }]);
    await index.put(partition, [{ put: putText(3, 'apple'), at: aPosition(55) }]);
    expect([await found('apple'), await found('cedar')]).toEqual([[], [aChunk(3)]]);
    await index.dropAll();
    await index.close();
  });
});
