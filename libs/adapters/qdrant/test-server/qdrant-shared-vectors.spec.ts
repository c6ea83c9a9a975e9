import { afterAll, beforeAll } from '@jest/globals';
import { describeSharedVectors } from '@palimpsest/test-kit';
import { openQdrantVectorIndex } from '../src/index.ts';
import { KEYS, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

describeSharedVectors('Qdrant', async () => {
  const prefix = aPrefix();
  const open = () => openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix, versionOf: () => VERSION });
  const [one, two, index] = [open(), open(), open()];
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
