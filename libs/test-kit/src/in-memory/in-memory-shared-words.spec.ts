import { describeSharedWords } from '../shared-words-kit.ts';
import { InMemorySharedWords } from './in-memory-shared-words.ts';

describeSharedWords('InMemorySharedWords', async () => {
  const words = new InMemorySharedWords();
  return { writers: [words, words], index: words, restart: async () => {}, dispose: async () => {} };
});
