import { expect, it } from '@jest/globals';
import type { Catalog, CatalogChange } from '@palimpsest/knowledge/read-models';
import { knowledgeBaseId, vectorScope } from '@palimpsest/knowledge/values';
import {
  ACME,
  aCatalogPosition,
  aDocumentId,
  at,
  deleted,
  embedding,
  failed,
  generationActivated,
  generationRetired,
  generationStarted,
  indexed,
  knowledgeBaseCreated,
  OTHER,
  permitted,
  scopeOf,
  submitted,
  type CatalogUnderTest,
} from './catalog-fixture.ts';
import { collect } from './event-log-fixture.ts';

const RED = { scope: vectorScope('team:red'), knowledgeBase: knowledgeBaseId('red') };
const THEIRS = { tenant: OTHER };

/** A scope with documents in several states, one in another scope of the tenant, and one of another tenant with the same names. */
export const HISTORY: readonly CatalogChange[] = [
  knowledgeBaseCreated(),
  generationStarted(1),
  generationActivated(1),
  submitted(1),
  indexed(1, [1, 2]),
  submitted(2),
  failed(2),
  submitted(3),
  embedding('chunk-refused', { document: 1, chunk: 1, model: 1 }),
  knowledgeBaseCreated({ id: RED.knowledgeBase, scope: RED.scope }),
  generationStarted(1, scopeOf('team:red')),
  generationActivated(1, scopeOf('team:red')),
  submitted(4, RED),
  indexed(4, [5, 6], RED),
  knowledgeBaseCreated(THEIRS),
  generationStarted(1, scopeOf('deployment', OTHER)),
  submitted(1, THEIRS),
  indexed(1, [1], THEIRS),
];

/** What no history does, for each table of the scope. */
export const DAMAGE: readonly CatalogChange[] = [
  knowledgeBaseCreated({ id: knowledgeBaseId('made-up') }),
  knowledgeBaseCreated({ at: at(50) }),
  generationStarted(2),
  generationActivated(2),
  generationRetired(1),
  submitted(1, { version: 7, bytes: 1 }),
  indexed(1, [3], { version: 7, title: 'Wrong' }),
  deleted(2),
  submitted(9),
  embedding('chunk-refused', { document: 3, chunk: 4, model: 1 }),
];

/** The promises of `replaceScopes`. */
export const scopePromises = (open: () => Promise<CatalogUnderTest>, current: () => CatalogUnderTest): void => {
  const rowsOf = async (catalog: Catalog): Promise<readonly string[]> =>
    (await collect(catalog.rows())).map((row) => JSON.stringify(row)).sort();
  const withBuilt = async (changes: readonly CatalogChange[], body: (built: Catalog) => Promise<void>): Promise<void> => {
    const other = await open();
    try {
      await other.catalog.apply(changes, aCatalogPosition(9));
      await body(other.catalog);
    } finally {
      await other.dispose();
    }
  };

  it('gives a scope exactly the rows of the other catalog, and keeps the position', () =>
    withBuilt(HISTORY, async (built) => {
      const { catalog, reopen } = current();
      await catalog.apply(HISTORY, aCatalogPosition(4));
      const before = await rowsOf(catalog);
      await catalog.apply(DAMAGE, aCatalogPosition(5));
      expect(await rowsOf(catalog)).not.toEqual(before);
      await catalog.replaceScopes([scopeOf()], built);
      expect([await rowsOf(catalog), await catalog.use(ACME)]).toEqual([before, await built.use(ACME)]);
      const again = await reopen();
      expect([await rowsOf(again), await again.position()]).toEqual([before, 5n]);
      await again.apply([deleted(1)], aCatalogPosition(6));
      expect(await again.chunkCount(ACME)).toBe(2);
    }));

  it('changes no row of another scope or tenant, whatever the other catalog has of them', () =>
    withBuilt([...HISTORY, submitted(4, { ...RED, version: 2 }), deleted(1, OTHER)], async (built) => {
      const { catalog } = current();
      await catalog.apply(HISTORY, aCatalogPosition(4));
      const before = await rowsOf(catalog);
      await catalog.replaceScopes([scopeOf()], built);
      expect(await rowsOf(catalog)).toEqual(before);
      await catalog.replaceScopes([scopeOf('team:red')], built);
      const [red] = (await catalog.documents(permitted(['team:red']), { limit: 9 })).items;
      expect([red?.version, await catalog.chunkCount(OTHER)]).toEqual([2, 1]);
    }));

  it('replaces several scopes together, and empties one that the other catalog does not have', () =>
    withBuilt(HISTORY.slice(0, 9), async (built) => {
      const { catalog } = current();
      await catalog.apply([...HISTORY, ...DAMAGE], aCatalogPosition(4));
      await catalog.replaceScopes([scopeOf(), scopeOf('team:red')], built);
      expect((await catalog.scopes(ACME)).map(({ scope }) => scope.scope)).toEqual(['deployment']);
      expect([await catalog.chunkCount(ACME), await catalog.use(ACME)]).toEqual([2, await built.use(ACME)]);
      expect((await catalog.knowledgeBases(permitted(['team:red']))).length).toBe(0);
    }));

  it('copies no row of a document that it is called to leave out, and can then get it from a scratch catalog', () =>
    withBuilt(HISTORY, async (built) => {
      const { catalog } = current();
      const [left, scratch] = [aDocumentId(1), await current().catalog.createScratch()];
      try {
        await catalog.replaceScopes([scopeOf()], built, [left]);
        const rows = await rowsOf(catalog);
        const isLeft = (row: string): boolean => row.includes(`"key":"${left}`);
        expect(rows.filter(isLeft)).toEqual([]);
        expect((await catalog.documents(permitted(['deployment']), { limit: 9 })).items.map(({ documentId }) => documentId).sort()).toEqual(
          [aDocumentId(2), aDocumentId(3)].sort(),
        );
        expect([await catalog.chunkCount(ACME), await catalog.use(ACME)]).toEqual([
          0,
          expect.objectContaining({ documents: 2, chunks: 0 }),
        ]);
        await scratch.apply(HISTORY, aCatalogPosition(9));
        await catalog.replaceItems({ tenant: ACME, documents: [left], knowledgeBases: [] }, scratch);
        const copied = new Set(await rowsOf(catalog));
        const wanted = (await rowsOf(built)).filter((row) => row.includes(`"tenant":"${ACME}"`) && isLeft(row));
        expect(wanted.filter((row) => !copied.has(row))).toEqual([]);
        expect(await catalog.chunkCount(ACME)).toBe(2);
      } finally {
        await scratch.close();
      }
    }));

  it('keeps nothing of an erased scope but its retired generations, and every row of other scopes and tenants', async () => {
    const { catalog, reopen } = current();
    await catalog.apply(HISTORY, aCatalogPosition(4));
    const others = (rows: readonly string[]) => rows.filter((row) => isOfOther(row, ACME, 'deployment'));
    const before = others(await rowsOf(catalog));
    await catalog.apply([generationRetired(1), { change: 'scope-erased', scope: scopeOf() }], aCatalogPosition(5));
    const check = async (one: Catalog): Promise<void> => {
      expect(others(await rowsOf(one))).toEqual(before);
      expect((await one.documents(permitted(['deployment']), { limit: 9 })).items).toEqual([]);
      expect(await one.knowledgeBases(permitted(['deployment']))).toEqual([]);
      const [erased] = (await one.scopes(ACME)).filter(({ scope }) => scope.scope === 'deployment');
      expect(erased?.generations.map(({ status }) => status)).toEqual(['retired']);
      expect([await one.chunkCount(ACME), await one.use(ACME)]).toEqual([2, expect.objectContaining({ documents: 1, chunks: 2 })]);
    };
    await check(catalog);
    await check(await reopen());
  });
};

/** Rows of some tables name no scope: they belong to documents, or to the whole tenant. */
const isOfOther = (row: string, tenant: string, scope: string): boolean => {
  const parsed = JSON.parse(row) as Readonly<{ tenant: string; scope: string }>;
  return parsed.scope !== '' && (parsed.tenant !== tenant || parsed.scope !== scope);
};
