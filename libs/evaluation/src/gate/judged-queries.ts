import { shuffled, type SeededRandom } from '@palimpsest/foundation';

/** A query with the documents that answer it, and their grades: 1 and more is relevant. */
type GivenQuery<Id> = Readonly<{ id: string; text: string; synthetic: boolean; relevant: ReadonlyMap<Id, number> }>;
type GivenSet<Id> = Readonly<{ name: string; version: number; queries: readonly GivenQuery<Id>[] }>;

/** A query that can be asked, with the grades of the documents that exist. */
export type JudgedQuery<Id> = Readonly<{ set: string; version: number; id: string; text: string; relevant: ReadonlyMap<Id, number> }>;

/** `synthetic`: left out, as a model wrote them. `unusable`: no relevant document of theirs exists. */
export type JudgedQueries<Id> = Readonly<{
  queries: readonly JudgedQuery<Id>[];
  sets: readonly Readonly<{ name: string; version: number; queries: number }>[];
  synthetic: number;
  unusable: number;
  missingDocuments: readonly Id[];
}>;

/** `existing`: which of these documents both sides could find. */
type Drawing<Id> = Readonly<{
  max: number;
  random: SeededRandom;
  withSynthetic: boolean;
  existing: (ids: readonly Id[]) => Promise<ReadonlySet<Id>>;
}>;

/**
 * At most `max` judged queries, drawn at random. A judged document that does not exist does not count, since neither side can find it. A
 * query without a relevant document that exists is left out.
 */
export const drawJudgedQueries = async <Id>(
  sets: readonly GivenSet<Id>[],
  { max, random, withSynthetic, existing }: Drawing<Id>,
): Promise<JudgedQueries<Id>> => {
  const all = sets.flatMap(({ name, version, queries }) => queries.map((query) => ({ ...query, set: name, version })));
  const permitted = all.filter(({ synthetic }) => withSynthetic || !synthetic);
  const documents = new Set(permitted.flatMap(({ relevant }) => [...relevant.keys()]));
  const exists = await existing([...documents]);
  const queries: JudgedQuery<Id>[] = [];
  let unusable = 0;
  for (const { set, version, id, text, relevant } of shuffled(permitted, random)) {
    if (queries.length === max) break;
    const found = new Map([...relevant].filter(([document]) => exists.has(document)));
    if ([...found.values()].some((grade) => grade >= 1)) queries.push({ set, version, id, text, relevant: found });
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
