import { describeSharedVectors } from '../shared-vectors-kit.ts';
import { InMemorySharedVectors } from './in-memory-shared-vectors.ts';

describeSharedVectors('InMemorySharedVectors', async () => {
  const one = new InMemorySharedVectors();
  return { writers: [one, one.another()], index: one.index, restart: async () => {}, dispose: async () => {} };
});
