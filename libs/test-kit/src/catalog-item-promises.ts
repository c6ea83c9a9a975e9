import { expect, it } from '@jest/globals';
import type { Catalog, CatalogRow } from '@palimpsest/knowledge/read-models';
import { knowledgeBaseId } from '@palimpsest/knowledge/values';
import { ACME, aCatalogPosition, aDocumentId, OTHER, submitted, type CatalogUnderTest } from './catalog-fixture.ts';
import { DAMAGE, HISTORY } from './catalog-scope-promises.ts';
import { collect } from './event-log-fixture.ts';

type CatalogItems = Parameters<Catalog['replaceItems']>[0];

const BASES = HISTORY.flatMap((change) => (change.change === 'knowledge-base-created' ? [change.id] : []));

const items = (documents: readonly number[], knowledgeBases: CatalogItems['knowledgeBases'] = []): CatalogItems => ({
  tenant: ACME,
  documents: documents.map((number) => aDocumentId(number)),
  knowledgeBases,
});

/** The promises of `replaceItems`. */
export const itemPromises = (open: () => Promise<CatalogUnderTest>, current: () => CatalogUnderTest): void => {
  const rowsOf = async (catalog: Catalog): Promise<readonly string[]> =>
    (await collect(catalog.rows())).map((row) => JSON.stringify(row)).sort();
  const withoutGenerations = async (catalog: Catalog) => (await rowsOf(catalog)).filter((row) => !row.includes('generation'));
  /** Others that have the history: a scratch catalog, and one that `open` returned. */
  const withOther = async (kind: 'a scratch catalog' | 'another one', body: (other: Catalog) => Promise<void>): Promise<void> => {
    const { catalog: other, dispose } = await open();
    const scratch = await current().catalog.createScratch();
    try {
      const used = kind === 'another one' ? other : scratch;
      await used.apply(HISTORY, aCatalogPosition(9));
      await body(used);
    } finally {
      await scratch.close();
      await dispose();
    }
  };

  it.each(['a scratch catalog', 'another one'] as const)(
    'gives documents and knowledge bases exactly the rows of %s, and keeps the position and the use of the tenant right',
    (kind) =>
      withOther(kind, async (other) => {
        const { catalog, reopen } = current();
        await catalog.apply([...HISTORY, ...DAMAGE], aCatalogPosition(4));
        await catalog.replaceItems(items([1, 2, 3, 9], [...BASES, knowledgeBaseId('made-up')]), other);
        await catalog.purge?.();
        for (const next of [async () => catalog, reopen]) {
          const found = await next();
          expect(await withoutGenerations(found)).toEqual(await withoutGenerations(other));
          expect([await found.use(ACME), await found.position()]).toEqual([await other.use(ACME), 4n]);
        }
      }),
  );

  it('changes no row of another document or tenant', () =>
    withOther('a scratch catalog', async (other) => {
      const { catalog } = current();
      const changed = [submitted(1, { version: 7 }), submitted(2, { version: 7 }), submitted(1, { tenant: OTHER, version: 7 })];
      await catalog.apply([...HISTORY, ...changed], aCatalogPosition(4));
      const before = await rowsOf(catalog);
      await catalog.replaceItems(items([1]), other);
      const added = (await rowsOf(catalog)).filter((row) => !before.includes(row)).map((row) => JSON.parse(row) as CatalogRow);
      expect(added.length).toBeGreaterThan(0);
      for (const { tenant, key } of added) expect([tenant, key.split('/')[0]]).toEqual([ACME, aDocumentId(1)]);
    }));
};
