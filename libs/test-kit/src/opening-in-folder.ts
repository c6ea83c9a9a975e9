import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexPartition, IndexStore } from '@palimpsest/knowledge/read-models';

/** Opens an index in the given folder, or in a new, empty one, and records damage that it reports after opening. */
export const openingInFolder =
  <Index extends IndexStore>(open: (at: Readonly<{ root: string; onDamage: (partition: IndexPartition) => void }>) => Promise<Index>) =>
  async (folder?: string) => {
    const root = folder ?? (await mkdtemp(join(tmpdir(), 'index-')));
    const reported: IndexPartition[] = [];
    const at = { root, onDamage: (partition: IndexPartition) => void reported.push(partition) };
    let index = await open(at);
    return {
      index,
      folder: root,
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
