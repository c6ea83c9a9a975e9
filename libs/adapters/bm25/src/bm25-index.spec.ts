import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeLexicalIndex, describeLexicalIndexFiles } from '@palimpsest/test-kit';
import { openBm25Index, type Bm25Options } from './open-bm25-index.ts';

const open = (options: Omit<Bm25Options, 'root'>) => async (folder?: string) => {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'bm25-index-')));
  let index = await openBm25Index({ root, ...options });
  return {
    index,
    folder: root,
    reopen: async () => {
      await index.close();
      return (index = await openBm25Index({ root, ...options }));
    },
    dispose: async () => {
      await index.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};

// As configured; then with everything that depends on size brought down to the size of the examples: every segment in the
// kernel, a new base after each call, and nothing kept in memory.
const small = { kernelFromChunks: 0, compactFromBytes: 0, cacheBytes: 0 };
describeLexicalIndex('Bm25Index', () => open({})());
describeLexicalIndex('Bm25Index with tiny limits', () => open(small)());
describeLexicalIndexFiles('Bm25Index', open({}));
describeLexicalIndexFiles('Bm25Index that compacts early', open({ ...small, compactFromBytes: 300 }));
