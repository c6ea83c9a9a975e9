import { partitionKey } from '@palimpsest/knowledge/read-models';
import { MultisetDigest } from '../src/verification/multiset-digest.ts';
import type { Stores } from './read-model-state.ts';

/**
 * One digest per table and scope of the catalog, and per index and generation. Of these, one that is missing is the same as an empty one,
 * as it is to readers.
 */
export const digestsOf = async (
  { catalog, vectors, lexical }: Stores,
  isCompared: (scope: Readonly<{ tenant: string; scope: string }>) => boolean = () => true,
): Promise<Readonly<Record<string, string>>> => {
  const found = new Map<string, MultisetDigest>();
  const add = (of: string, element: readonly string[]): void => {
    const digest = found.get(of) ?? new MultisetDigest();
    found.set(of, digest);
    digest.add(JSON.stringify(element));
  };
  for await (const { table, tenant, scope, key, digest } of catalog.rows())
    if (isCompared({ tenant, scope })) add(`${table} of ${tenant}/${scope}`, [key, digest]);
  for (const [name, index] of Object.entries({ vectors, lexical }))
    for (const partition of await index.partitions())
      if (isCompared(partition.scope))
        for await (const { chunkId, digest } of index.entries(partition)) add(`${name} of ${partitionKey(partition)}`, [chunkId, digest]);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([of, digest]) => [of, MultisetDigest.ofAll([digest])]));
};
