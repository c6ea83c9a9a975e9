import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finishReplacing, folderName, ifCode, nameOfFolder } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';

/** The indexes of a partition, whose files are next to each other: `<root>/<tenant>/<scope>/<generation>/<index>`. */
const INDEXES = ['vectors', 'lexical'] as const;
export type IndexName = (typeof INDEXES)[number];

export const partitionFolder = (root: string, { scope, generation }: IndexPartition, index: IndexName): string =>
  join(root, folderName(scope.tenant), folderName(scope.scope), generation, index);

/** The partition that a file of an index belongs to, by its path below the root, with `/` between the names; undefined for other files. */
export const partitionOfFile = (path: string): IndexPartition | undefined => {
  const [tenant, scope, generation, folder, file] = path.split('/');
  if (tenant === undefined || scope === undefined || generation === undefined || file === undefined) return undefined;
  // The folder may be one that is being replaced.
  return INDEXES.some((index) => index === folder?.split('.')[0]) ? parse(tenant, scope, generation) : undefined;
};

/** Returns every partition that has a folder of this index below `root`, ordered by folder. Ignores other folders. */
export const partitionsIn = async (root: string, index: IndexName): Promise<readonly IndexPartition[]> => {
  const found: IndexPartition[] = [];
  for await (const { partition, names } of generationsIn(root)) if (names.includes(index)) found.push(partition);
  return found;
};

/** The same when an index is opened: completes replacements of folders that were interrupted. */
export const openPartitionsIn = async (root: string, index: IndexName): Promise<readonly IndexPartition[]> => {
  for await (const { folder, names } of generationsIn(root)) await finishReplacing(join(folder, index), names);
  return partitionsIn(root, index);
};

async function* generationsIn(
  root: string,
): AsyncGenerator<Readonly<{ partition: IndexPartition; folder: string; names: readonly string[] }>> {
  for (const tenant of await foldersIn(root))
    for (const scope of await foldersIn(join(root, tenant)))
      for (const generation of await foldersIn(join(root, tenant, scope))) {
        const [partition, folder] = [parse(tenant, scope, generation), join(root, tenant, scope, generation)];
        if (partition !== undefined) yield { partition, folder, names: await foldersIn(folder) };
      }
}

const foldersIn = async (path: string): Promise<readonly string[]> => {
  const entries = await readdir(path, { withFileTypes: true }).catch(ifCode('ENOENT', []));
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
};

const parse = (tenant: string, scope: string, generation: string): IndexPartition | undefined => {
  const [tenantName, scopeName] = [nameOfFolder(tenant), nameOfFolder(scope)];
  if (tenantName === undefined || scopeName === undefined) return undefined;
  try {
    return { scope: { tenant: tenantId(tenantName), scope: vectorScope(scopeName) }, generation: generationId(generation) };
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
};
