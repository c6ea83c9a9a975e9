import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { generationId, InvalidValue, tenantId, vectorScope, type IndexPartition } from '@palimpsest/knowledge';
import { storage } from './durable-files.ts';

/**
 * Encodes a name as a folder name that is valid and unique on every file system. ":" becomes "+". Upper-case letters become lower case,
 * followed by "=" and a hexadecimal number that marks them (bit i for character i), since some file systems ignore case. Device names
 * that Windows reserves get a bare "=". The result is at most 1.3 times as long as the name.
 */
export const folderName = (name: string): string => {
  let upper = 0n;
  for (let i = 0; i < name.length; i++) if (/[A-Z]/.test(name.charAt(i))) upper |= 1n << BigInt(i);
  const plain = name.toLowerCase().replaceAll(':', '+');
  const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/.test(plain);
  return upper > 0n ? `${plain}=${upper.toString(16)}` : reserved ? `${plain}=` : plain;
};

export const nameOfFolder = (folder: string): string => {
  const [plain = '', bits = ''] = folder.split('=');
  const upper = /^[0-9a-f]+$/.test(bits) ? BigInt(`0x${bits}`) : 0n;
  return Array.from(plain.replaceAll('+', ':'), (char, i) => ((upper >> BigInt(i)) & 1n ? char.toUpperCase() : char)).join('');
};

/** Returns `<root>/<tenant>/<scope>/<generation>/vectors` and its parents, innermost first, up to the root. */
export const partitionFolders = (root: string, { scope: { tenant, scope }, generation }: IndexPartition): readonly [string, ...string[]] => {
  const names = [folderName(tenant), folderName(scope), generation, 'vectors'];
  const paths = names.map((_, i) => join(root, ...names.slice(0, i + 1))).reverse();
  return [join(root, ...names), ...paths.slice(1), root];
};

/** Returns every partition that has a folder of vectors below `root`. Ignores other folders. */
export const listPartitions = async (root: string): Promise<readonly IndexPartition[]> => {
  const found: IndexPartition[] = [];
  for (const tenant of await folders(root))
    for (const scope of await folders(join(root, tenant)))
      for (const generation of await folders(join(root, tenant, scope))) {
        const partition = named(tenant, scope, generation);
        const inside = await folders(join(root, tenant, scope, generation));
        if (partition !== undefined && inside.includes('vectors')) found.push(partition);
      }
  return found;
};

const folders = async (path: string): Promise<readonly string[]> => {
  const entries = await storage(`listing ${path}`, () => readdir(path, { withFileTypes: true }));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
};

const named = (tenant: string, scope: string, generation: string): IndexPartition | undefined => {
  try {
    const name = { tenant: tenantId(nameOfFolder(tenant)), scope: vectorScope(nameOfFolder(scope)) };
    const ours = folderName(name.tenant) === tenant && folderName(name.scope) === scope;
    return ours ? { scope: name, generation: generationId(generation) } : undefined;
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
};
