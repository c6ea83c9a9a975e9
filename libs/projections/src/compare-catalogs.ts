import type { Catalog, CatalogRow } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Difference } from './difference.ts';

/**
 * Compares two catalogs, row by row. Nothing else notices that a title, a label or the settings of a knowledge base changed on disk. Call
 * only while nothing is projected.
 */
export const compareCatalogs = async (expected: Catalog, actual: Catalog): Promise<readonly Difference[]> => {
  const wanted = new Map<string, CatalogRow>();
  for await (const row of expected.rows()) wanted.set(keyOf(row), row);
  const differences: Difference[] = [];
  for await (const row of actual.rows()) {
    const same = wanted.get(keyOf(row));
    if (same === undefined) differences.push(difference(row, 'extra'));
    else if (same.digest !== row.digest) differences.push(difference(row, 'different'));
    wanted.delete(keyOf(row));
  }
  return [...differences, ...[...wanted.values()].map((row) => difference(row, 'missing'))];
};

const keyOf = ({ table, tenant, scope, key }: CatalogRow): string => JSON.stringify([table, tenant, scope, key]);

const difference = ({ table, tenant, scope, key }: CatalogRow, kind: Difference['kind']): Difference => ({
  store: 'catalog',
  kind,
  tenant,
  scope,
  ...(table === 'chunks' ? { chunkId: key as ChunkId } : { row: `${table} ${key}`.trim() }),
});
