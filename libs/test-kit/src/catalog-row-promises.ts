import { expect, it } from '@jest/globals';
import type { Catalog, CatalogRow } from '@palimpsest/knowledge/read-models';
import { DEFAULT_CHUNK_LIST } from '@palimpsest/knowledge/values';
import {
  ACME,
  aCatalogPosition,
  aChunkId,
  aDocumentId,
  deleted,
  OTHER,
  scopeOf,
  submitted,
  type CatalogUnderTest,
} from './catalog-fixture.ts';
import { DAMAGE, HISTORY } from './catalog-scope-promises.ts';
import { collect } from './event-log-fixture.ts';

const nameOf = ({ table, tenant, scope, key }: CatalogRow): string => JSON.stringify([table, tenant, scope, key]);

/** The rows that only one of the catalogs has, or that are different. */
const differing = async (one: Catalog, other: Catalog): Promise<readonly CatalogRow[]> => {
  const [ours, theirs] = [await collect(one.rows()), await collect(other.rows())];
  const digests = new Map(theirs.map((row) => [nameOf(row), row.digest]));
  const found = ours.filter((row) => digests.get(nameOf(row)) !== row.digest);
  const names = new Set(ours.map(nameOf));
  return [...found, ...theirs.filter((row) => !names.has(nameOf(row)))];
};

/** The promises of `replaceRows` and `documentsOf`. */
export const rowPromises = (open: () => Promise<CatalogUnderTest>, current: () => CatalogUnderTest): void => {
  const withScratch = async (body: (scratch: Catalog) => Promise<void>): Promise<void> => {
    const scratch = await current().catalog.createScratch();
    try {
      await scratch.apply(HISTORY, aCatalogPosition(9));
      await body(scratch);
    } finally {
      await scratch.close();
    }
  };

  it.each(DAMAGE.map((change, i) => [`${i}: ${change.change}`, change] as const))('repair %s, and keep the position', (_, change) =>
    withScratch(async (scratch) => {
      const { catalog, reopen } = current();
      await catalog.apply(HISTORY, aCatalogPosition(4));
      await catalog.apply([change], aCatalogPosition(5));
      const rows = await differing(catalog, scratch);
      await catalog.replaceRows(rows, scratch);
      expect(await differing(catalog, scratch)).toEqual([]);
      expect([await catalog.use(ACME), await catalog.use(OTHER)]).toEqual([await scratch.use(ACME), await scratch.use(OTHER)]);
      await catalog.purge?.();
      const again = await reopen();
      expect([await differing(again, scratch), await again.position()]).toEqual([[], 5n]);
      await again.apply([deleted(1)], aCatalogPosition(6));
      expect(await again.chunkCount(ACME)).toBe(2);
    }),
  );

  it('repair all of it together, from a catalog in a file, too', async () => {
    const { catalog } = current();
    await catalog.apply([...HISTORY, ...DAMAGE], aCatalogPosition(4));
    const other = await open();
    try {
      await other.catalog.apply(HISTORY, aCatalogPosition(9));
      await catalog.replaceRows(await differing(catalog, other.catalog), other.catalog);
      expect(await differing(catalog, other.catalog)).toEqual([]);
    } finally {
      await other.dispose();
    }
  });

  it('change no row of another document', () =>
    withScratch(async (scratch) => {
      const { catalog } = current();
      await catalog.apply([...HISTORY, submitted(1, { version: 7 }), submitted(3, { version: 7 })], aCatalogPosition(4));
      const isOfFirst = ({ key }: CatalogRow): boolean => key.includes(aDocumentId(1));
      const rows = await differing(catalog, scratch);
      await catalog.replaceRows(rows.filter(isOfFirst), scratch);
      const left = (await differing(catalog, scratch)).map(nameOf);
      expect(left).not.toEqual([]);
      expect(left).toEqual(
        rows
          .filter((row) => !isOfFirst(row))
          .filter(({ table }) => table !== 'tenant_use')
          .map(nameOf),
      );
    }));

  it('change nothing for names of tables that it does not have', () =>
    withScratch(async (scratch) => {
      const { catalog } = current();
      await catalog.apply(HISTORY, aCatalogPosition(4));
      await catalog.replaceRows([{ table: 'structure', tenant: ACME, scope: '', key: 'damage' }], scratch);
      expect(await differing(catalog, scratch)).toEqual([]);
    }));

  it('names the documents that have chunks in a list, within one scope', async () => {
    const { catalog } = current();
    await catalog.apply(HISTORY, aCatalogPosition(4));
    const ids = [1, 2, 5, 99].map((number) => aChunkId(number));
    const found = await catalog.documentsOf(scopeOf(), DEFAULT_CHUNK_LIST, ids);
    expect([...found].sort()).toEqual([1, 2].map((number) => [aChunkId(number), aDocumentId(1)]));
    expect((await catalog.documentsOf(scopeOf(), 'other' as never, ids)).size).toBe(0);
  });
};
