import { afterAll, beforeAll } from '@jest/globals';
import { describeSharedWords } from '@palimpsest/test-kit';
import { openQdrantLexicalIndex } from '../src/index.ts';
import { KEYS } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const analyse = (text: string): readonly string[] => text.match(/[a-z0-9]+/g) ?? [];

const openOne = (prefix: string) =>
  openQdrantLexicalIndex({ ...server.address, keys: KEYS, prefix, analyse, analyserVersion: 'words@1', averageLength: 5 });

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
