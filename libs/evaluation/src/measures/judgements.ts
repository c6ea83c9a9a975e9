/**
 * The grades of the documents that were judged for one query, by document id: whole numbers, more is better. A document is relevant from
 * grade 1 (`trec_eval -l 1`). One without a grade is unjudged, and counts as not relevant.
 */
export type Judgements = ReadonlyMap<string, number>;

/**
 * The grades of the same query once for each of its subtopics, for measures of diversity: what the query may mean, or the parts of an answer.
 * A document can be relevant to several.
 */
export type Subtopics = readonly Judgements[];

/** The documents that a search returned for one query, best first, each once. */
export type Ranking = readonly string[];

/** The document's gain for nDCG: its grade, and 0 if that is negative or missing. */
export const gainOf = (judgements: Judgements, id: string): number => Math.max(0, judgements.get(id) ?? 0);

export const isRelevant = (judgements: Judgements, id: string): boolean => (judgements.get(id) ?? 0) >= 1;

export const relevantCount = (judgements: Judgements): number => {
  let count = 0;
  for (const grade of judgements.values()) if (grade >= 1) count++;
  return count;
};
