import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidValue, generationId, tenantId, vectorScope, type IndexPartition } from '@palimpsest/knowledge';

const FOLDER = 'lexical';

/**
 * A name as a folder's name that every file system takes and keeps apart from every other: ":" becomes "+", and where letters
 * are capitals, "=" and a hexadecimal number say which (bit i for character i), since some systems do not tell `A` from `a`.
 * Names that Windows keeps for devices get a bare "=". The vectors of a partition lie beside it under the same names.
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

/** Every partition that has a folder below `root`, in the order of the names; folders of others are passed over. */
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
