import type { SeededRandom } from '@palimpsest/foundation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { GoldenQueries } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { DocumentId } from '@palimpsest/knowledge/values';
import { shuffled } from './shuffled.ts';

export type JudgedQuery = Readonly<{ set: string; version: number; id: string; text: string; relevant: ReadonlyMap<DocumentId, number> }>;
export type GoldenJudgements = Readonly<{
  queries: readonly JudgedQuery[];
  sets: readonly Readonly<{ name: string; version: number; queries: number }>[];
  synthetic: number;
  unusable: number;
  missingDocuments: readonly DocumentId[];
}>;

/**
 * The judged queries of a scope, at most `max` of them, drawn at random. A judged document that no longer exists does not count, since
 * neither side can find it. A query without a relevant document that exists is left out.
 */
export const goldenJudgements = async (
  { golden, catalog }: Readonly<{ golden: GoldenQueries; catalog: Pick<CatalogReader, 'existing'> }>,
  scope: PermittedScope,
  { max, random, withSynthetic }: Readonly<{ max: number; random: SeededRandom; withSynthetic: boolean }>,
): Promise<GoldenJudgements> => {
  const sets = await golden.ofScope(scope);
  const all = sets.flatMap(({ name, version, queries }) => queries.map((query) => ({ ...query, set: name, version })));
  const permitted = all.filter(({ synthetic }) => withSynthetic || !synthetic);
  const documents = new Set(permitted.flatMap(({ relevant }) => [...relevant.keys()]));
  const exists = await catalog.existing([scope], [...documents]);
  const queries: JudgedQuery[] = [];
  let unusable = 0;
  for (const { set, version, id, text, relevant } of shuffled(permitted, random)) {
    if (queries.length === max) break;
    const existing = new Map([...relevant].filter(([document]) => exists.has(document)));
    if ([...existing.values()].some((grade) => grade >= 1)) queries.push({ set, version, id, text, relevant: existing });
    else unusable++;
  }
  return {
    queries,
    sets: sets.map(({ name, version, queries: each }) => ({ name, version, queries: each.length })),
    synthetic: all.length - permitted.length,
    unusable,
    missingDocuments: [...documents].filter((id) => !exists.has(id)),
  };
};
