import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import { chunkListPromises } from './catalog-chunk-list-promises.ts';
import { documentPromises } from './catalog-document-promises.ts';
import {
  aCatalogPosition,
  deleted,
  generationActivated,
  generationRetired,
  generationStarted,
  aGeneration,
  indexed,
  knowledgeBaseCreated,
  embedding,
  permitted,
  scopeOf,
  submitted,
  OTHER,
  ACME,
  type CatalogUnderTest,
} from './catalog-fixture.ts';
import { isolationPromises } from './catalog-isolation-promises.ts';
import { listPromises } from './catalog-list-promises.ts';
import { rowPromises } from './catalog-row-promises.ts';
import { itemPromises } from './catalog-item-promises.ts';
import { scopePromises } from './catalog-scope-promises.ts';
import { collect } from './event-log-fixture.ts';

export type { CatalogUnderTest } from './catalog-fixture.ts';

/** The contract of `Catalog`. `open` is called once per test and returns an empty catalog. */
export const describeCatalog = (name: string, open: () => Promise<CatalogUnderTest>): void =>
  describe(`${name} as a Catalog`, () => {
    let under: CatalogUnderTest;
    const current = (): CatalogUnderTest => under;
    const everything = permitted(['deployment']);
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.dispose());

    describe('apply', () => {
      it('is empty at START', async () => {
        const { catalog } = current();
        expect(await catalog.position()).toBe(START);
        expect([
          await catalog.chunkCount(),
          (await catalog.documentCounts()).total,
          await catalog.scopes(),
          await catalog.knowledgeBases(everything),
        ]).toEqual([0, 0, [], []]);
      });

      it('applies all changes, moves its position even without changes, and keeps both', async () => {
        const { catalog, reopen } = current();
        await catalog.apply([submitted(1), submitted(2)], aCatalogPosition(5));
        await catalog.apply([], aCatalogPosition(9));
        for (const next of [async () => catalog, reopen]) {
          const seen = await next();
          expect([await seen.position(), (await seen.documentCounts()).total]).toEqual([9n, 2]);
        }
      });

      it('ignores a whole call whose position is not after its own', async () => {
        const { catalog } = current();
        await catalog.apply([submitted(1)], aCatalogPosition(5));
        for (const late of [5, 4]) await catalog.apply([submitted(2), deleted(1)], aCatalogPosition(late));
        expect([await catalog.position(), (await catalog.documents(everything, { limit: 9 })).items.length]).toEqual([5n, 1]);
      });

      it('applies no change of a call in which one fails', async () => {
        const { catalog, reopen } = current();
        await catalog.apply([submitted(1)], aCatalogPosition(5));
        const impossible = submitted(3, { bytes: Symbol('which no store can hold') as never });
        await expect(catalog.apply([submitted(2), deleted(1), impossible], aCatalogPosition(6))).rejects.toThrow();
        for (const next of [async () => catalog, reopen]) {
          const seen = await next();
          expect([await seen.position(), (await seen.documentCounts()).total]).toEqual([5n, 1]);
        }
      });

      it('removes everything on reset, and can be filled again', async () => {
        const { catalog, reopen } = current();
        const all = [knowledgeBaseCreated(), generationStarted(1), submitted(1), indexed(1, [1, 2])];
        await catalog.apply(all, aCatalogPosition(5));
        await catalog.reset();
        const again = await reopen();
        expect([await again.position(), await again.chunkCount(), await again.scopes(), (await again.documentCounts()).total]).toEqual([
          START,
          0,
          [],
          0,
        ]);
        await again.apply(all, aCatalogPosition(1));
        expect([await again.position(), await again.chunkCount()]).toEqual([1n, 2]);
      });
    });

    describe('rows', () => {
      const history = [knowledgeBaseCreated(), generationStarted(1), submitted(1), indexed(1, [1, 2]), submitted(2)];
      const rowsOf = async (catalog: Catalog): Promise<readonly string[]> =>
        (await collect(catalog.rows())).map((row) => JSON.stringify(row)).sort();

      it('are equal for equal histories, regardless of the batches, also in a scratch catalog, which does not affect this one', async () => {
        const { catalog } = current();
        for (const [i, change] of history.entries()) await catalog.apply([change], aCatalogPosition(i + 1));
        const scratch = await catalog.createScratch();
        expect(await rowsOf(scratch)).toEqual([]);
        await scratch.apply(history, aCatalogPosition(9));
        expect(await rowsOf(scratch)).toEqual(await rowsOf(catalog));
        await scratch.close();
        expect(await catalog.position()).toBe(5n);
      });

      it.each([
        ['a knowledge base', knowledgeBaseCreated({ at: 'another time' })],
        ['a document', submitted(2, { labels: { changed: 'yes' } })],
        ['a generation', generationActivated(1)],
        ['the order of chunks', indexed(1, [2, 1])],
        ['one more', submitted(3)],
        ['a refused chunk', embedding('chunk-refused', { document: 1, chunk: 1, model: 1 })],
        ['one less', deleted(1)],
      ])('differ after a change: %s', async (_, change) => {
        const { catalog } = current();
        await catalog.apply(history, aCatalogPosition(1));
        const before = await rowsOf(catalog);
        await catalog.apply([change], aCatalogPosition(2));
        expect(await rowsOf(catalog)).not.toEqual(before);
      });
    });

    describe('replaceRows', () => rowPromises(open, current));
    describe('replaceScopes', () => scopePromises(open, current));
    describe('replaceItems', () => itemPromises(open, current));
    describe('documents and chunks', () => documentPromises(current));
    describe('several chunk lists', () => chunkListPromises(current));
    describe('lists', () => listPromises(current));
    describe('isolation', () => isolationPromises(current));

    describe('generations', () => {
      it('lists scopes with their generations in start order, for all tenants or one', async () => {
        const { catalog } = current();
        const [red, theirs] = [scopeOf('team:red'), scopeOf('deployment', OTHER)];
        const starts = Array.from({ length: 11 }, (_, i) => generationStarted(i + 1));
        await catalog.apply([...starts, generationStarted(1, red), generationStarted(1, theirs)], aCatalogPosition(1));
        const [ours] = await catalog.scopes(ACME);
        expect(ours?.generations.map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, i) => `g${i + 1}`));
        expect((await catalog.scopes(ACME)).map(({ scope }) => scope)).toEqual([scopeOf(), red]);
        expect((await catalog.scopes()).map(({ scope }) => scope)).toEqual([scopeOf(), red, theirs]);
      });

      it('has a built generation as ready, or as the companion, which stays one when another is activated', async () => {
        const { catalog } = current();
        const builtAs = (number: number, companion?: true) => ({
          ...{ change: 'generation-built' as const, scope: scopeOf(), id: aGeneration(number, 'ready').id },
          ...(companion ? { companion } : {}),
        });
        await catalog.apply(
          [generationStarted(1), generationActivated(1), generationStarted(2), builtAs(2, true), generationStarted(3), builtAs(3)],
          aCatalogPosition(1),
        );
        const statuses = async () => (await catalog.scopes(ACME)).flatMap(({ generations }) => generations.map(({ status }) => status));
        expect(await statuses()).toEqual(['active', 'companion', 'ready']);
        await catalog.apply([generationActivated(3)], aCatalogPosition(2));
        expect(await statuses()).toEqual(['standby', 'companion', 'active']);
        await catalog.apply([generationRetired(2)], aCatalogPosition(3));
        expect(await statuses()).toEqual(['standby', 'retired', 'active']);
      });

      it('turns the active generation into standby when another is activated, only in its scope, and keeps retired ones', async () => {
        const { catalog } = current();
        const red = scopeOf('team:red');
        const activated = [generationStarted(1), generationActivated(1), generationStarted(1, red), generationActivated(1, red)];
        await catalog.apply(
          [...activated, generationStarted(2), generationActivated(2), generationRetired(1), generationStarted(3), generationActivated(3)],
          aCatalogPosition(1),
        );
        expect(await catalog.scopes(ACME)).toEqual([
          { scope: scopeOf(), generations: [aGeneration(1, 'retired'), aGeneration(2, 'standby'), aGeneration(3, 'active')] },
          { scope: red, generations: [aGeneration(1, 'active')] },
        ]);
      });
    });
  });
