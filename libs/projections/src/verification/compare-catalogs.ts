import type { Catalog, CatalogRow } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Difference } from './difference.ts';

/** `rows`: those that differ, each with a difference. */
type Compared = Readonly<{ differences: readonly Difference[]; rows: readonly CatalogRow[] }>;

/**
 * Compares two catalogs, row by row. Nothing else notices that a title, a label or the settings of a knowledge base changed on disk. Call
 * only while nothing is projected.
 */
export const compareCatalogs = async (expected: Catalog, actual: Catalog): Promise<Compared> => {
  const wanted = new Map<string, CatalogRow>();
  for await (const row of expected.rows()) wanted.set(keyOf(row), row);
  const differing: Readonly<{ row: CatalogRow; kind: Difference['kind'] }>[] = [];
  for await (const row of actual.rows()) {
    const same = wanted.get(keyOf(row));
    if (same === undefined) differing.push({ row, kind: 'extra' });
    else if (same.digest !== row.digest) differing.push({ row, kind: 'different' });
    wanted.delete(keyOf(row));
  }
  for (const row of wanted.values()) differing.push({ row, kind: 'missing' });
  return { differences: differing.map(({ row, kind }) => difference(row, kind)), rows: differing.map(({ row }) => row) };
};

const keyOf = ({ table, tenant, scope, key }: CatalogRow): string => JSON.stringify([table, tenant, scope, key]);

const difference = ({ table, tenant, scope, key }: CatalogRow, kind: Difference['kind']): Difference => ({
  store: 'catalog',
  kind,
  tenant,
  scope,
  ...(table === 'chunks' ? { chunkId: key as ChunkId } : { row: `${table} ${key}`.trim() }),
});
