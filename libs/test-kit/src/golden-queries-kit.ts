import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GoldenQueries } from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope, type DocumentId, type TenantScope } from '@palimpsest/knowledge/values';

/** `grades`: of the first documents, in their order. */
type Line = Readonly<{ id: string; text: string; synthetic: boolean; grades: readonly number[] }>;

/** A scope without golden sets. Only the first of its two `documents` exists. */
export type GoldenQueriesUnderTest = Readonly<{
  queries: GoldenQueries;
  scope: TenantScope;
  documents: readonly [DocumentId, DocumentId];
  import(set: string, lines: readonly Line[]): Promise<void>;
  remove(set: string): Promise<void>;
  destroyKey(): Promise<void>;
}>;

const FIRST: Line = { id: 'first', text: 'what is first?', synthetic: false, grades: [2, 0] };
const SECOND: Line = { id: 'second', text: 'what is second?', synthetic: true, grades: [1] };

/** The contract of `GoldenQueries`. */
export const describeGoldenQueries = (name: string, open: () => Promise<GoldenQueriesUnderTest>): void =>
  describe(`${name} fulfils the contract of GoldenQueries`, () => {
    let under: GoldenQueriesUnderTest;
    const read = () => under.queries.ofScope(under.scope);
    beforeEach(async () => {
      under = await open();
    });

    it('returns nothing for a scope without sets, and nothing of another scope or tenant', async () => {
      expect(await read()).toEqual([]);
      await under.import('faq', [FIRST]);
      const { tenant, scope } = under.scope;
      expect(await under.queries.ofScope({ tenant, scope: vectorScope('team:empty') })).toEqual([]);
      expect(await under.queries.ofScope({ tenant: tenantId('stranger'), scope })).toEqual([]);
    });

    it('returns each query with its grades, also of documents that do not exist, and says whether it is synthetic', async () => {
      await under.import('faq', [FIRST, SECOND]);
      const [one, two] = under.documents;
      const { grades: _, ...first } = FIRST;
      const { grades: __, ...second } = SECOND;
      expect(await read()).toEqual([
        {
          name: 'faq',
          version: 1,
          queries: [
            {
              ...first,
              relevant: new Map([
                [one, 2],
                [two, 0],
              ]),
            },
            { ...second, relevant: new Map([[one, 1]]) },
          ],
        },
      ]);
    });

    it('returns the latest version of every set, and no removed set', async () => {
      await under.import('faq', [FIRST]);
      await under.import('faq', [SECOND]);
      await under.import('all', [FIRST, SECOND]);
      await under.import('gone', [FIRST]);
      await under.remove('gone');
      const sets = (await read()).map(({ name: set, version, queries }) => [set, version, queries.map(({ id }) => id)]);
      expect(sets.sort()).toEqual([
        ['all', 1, ['first', 'second']],
        ['faq', 2, ['second']],
      ]);
    });

    it('returns nothing once the key of the scope is destroyed', async () => {
      await under.import('faq', [FIRST]);
      await under.destroyKey();
      expect(await read()).toEqual([]);
    });
  });
