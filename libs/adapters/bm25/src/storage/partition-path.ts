import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidValue, generationId, tenantId, vectorScope, type IndexPartition } from '@palimpsest/knowledge';

const FOLDER = 'lexical';

/**
 * Encodes a name as a folder name that is valid and unique on every file system. ":" becomes "+". Capital letters become lower case,
 * followed by "=" and a hexadecimal number that marks them (bit i for character i), since some file systems ignore case. Device names
 * that Windows reserves get a bare "=". The vectors of a partition use the same folder names.
 */
const encode = (name: string): string => {
  const plain = name.toLowerCase().replaceAll(':', '+');
  const capitals = Array.from(name).reduce((bits, char, i) => (/[A-Z]/.test(char) ? bits | (1n << BigInt(i)) : bits), 0n);
  if (capitals > 0n) return `${plain}=${capitals.toString(16)}`;
  return /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/.test(plain) ? `${plain}=` : plain;
};

const decode = (folder: string): string => {
  const [plain = '', digits = ''] = folder.split('=');
  const capitals = /^[0-9a-f]+$/.test(digits) ? BigInt(`0x${digits}`) : 0n;
  return Array.from(plain.replaceAll('+', ':'), (char, i) => ((capitals >> BigInt(i)) & 1n ? char.toUpperCase() : char)).join('');
};

export const partitionFolder = (root: string, { scope, generation }: IndexPartition): string =>
  join(root, encode(scope.tenant), encode(scope.scope), generation, FOLDER);

/** The partition that a file belongs to, by its path below `root`, with `/` between the names; undefined for other files. */
export const partitionOfFile = (path: string): IndexPartition | undefined => {
  const [tenant, scope, generation, folder, file] = path.split('/');
  return tenant !== undefined && scope !== undefined && generation !== undefined && folder === FOLDER && file !== undefined ? parse(tenant, scope, generation) : undefined;
};

/** Returns every partition that has a folder below `root`, ordered by name. Ignores other folders. */
export const partitionsIn = async (root: string): Promise<readonly IndexPartition[]> => {
  const found: IndexPartition[] = [];
  for (const tenant of await foldersIn(root))
    for (const scope of await foldersIn(join(root, tenant)))
      for (const generation of await foldersIn(join(root, tenant, scope))) {
        const partition = parse(tenant, scope, generation);
        if (partition !== undefined && (await foldersIn(join(root, tenant, scope, generation))).includes(FOLDER)) found.push(partition);
      }
  return found;
};

const foldersIn = async (path: string): Promise<readonly string[]> => {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const parse = (tenant: string, scope: string, generation: string): IndexPartition | undefined => {
  try {
    const names = { tenant: tenantId(decode(tenant)), scope: vectorScope(decode(scope)) };
    const ours = encode(names.tenant) === tenant && encode(names.scope) === scope;
    return ours ? { scope: names, generation: generationId(generation) } : undefined;
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
};
