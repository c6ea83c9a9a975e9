import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition, IndexStore } from '@palimpsest/knowledge/read-models';
import { InMemoryScopeKeys } from './in-memory/in-memory-scope-keys.ts';
import { TRANSPARENT_KEYS } from './in-memory/transparent-keys.ts';

type At = Readonly<{ root: string; keys: Pick<ScopeKeys, 'cipher'>; onDamage: (partition: IndexPartition) => void }>;

/**
 * Opens an index in the given folder, or in a new, empty one, and records damage that it reports after opening. All of them have the same
 * keys. `transparent`: nothing is sealed.
 */
export const openingInFolder = <Index extends IndexStore>(open: (at: At) => Promise<Index>) => {
  const keys = new InMemoryScopeKeys();
  return async (folder?: string, { transparent = false } = {}) => {
    const root = folder ?? (await mkdtemp(join(tmpdir(), 'index-')));
    const reported: IndexPartition[] = [];
    const at = {
      root,
      keys: transparent ? TRANSPARENT_KEYS : keys,
      onDamage: (partition: IndexPartition) => void reported.push(partition),
    };
    let index = await open(at);
    return {
      index,
      folder: root,
      keys,
      reported,
      reopen: async () => {
        await index.close();
        return (index = await open(at));
      },
      dispose: async () => {
        await index.close();
        await rm(root, { recursive: true, force: true });
      },
    };
  };
};
