import type { Judgements, Ranking, Subtopics } from './judgements.ts';
import { isRelevant } from './judgements.ts';
import { discounted } from './measures.ts';

/** How much less a document counts for a subtopic with each document above it that is relevant to the same subtopic. */
const ALPHA = 0.5;

/**
 * α-nDCG with α = .5: a document gains 1 for each subtopic that it is relevant to, half as much for a subtopic that one document above it
 * covers, a quarter for two, and so on. The sum, discounted by rank, is divided by that of an ideal ranking (Clarke et al., "Novelty and
 * diversity in information retrieval evaluation", SIGIR 2008). Grades above 1 count as 1.
 *
 * The best possible ranking is too expensive to find, so the ideal one is greedy, as that of ndeval: at each rank the document that gains most,
 * among equal ones that with the highest id in bytes. A ranking that is better than the greedy one has 1 (ndeval: more than 1).
 */
export const alphaNdcg = (ranking: Ranking, judgements: Judgements, depth: number, subtopics: Subtopics = [judgements]): number => {
  const covered = coverage(subtopics);
  const ideal = discounted(greedyGains(covered, subtopics.length, depth));
  if (ideal === 0) return 0;
  const worth = new Array<number>(subtopics.length).fill(1);
  return Math.min(1, discounted(ranking.slice(0, depth).map((id) => take(worth, covered.get(id) ?? []))) / ideal);
};

/** The subtopics, by their index, that each document is relevant to. */
const coverage = (subtopics: Subtopics): ReadonlyMap<string, readonly number[]> => {
  const covered = new Map<string, number[]>();
  for (const [at, judgements] of subtopics.entries())
    for (const id of judgements.keys()) if (isRelevant(judgements, id)) covered.set(id, [...(covered.get(id) ?? []), at]);
  return covered;
};

const gainFrom = (worth: readonly number[], subtopics: readonly number[]): number =>
  subtopics.reduce((sum, subtopic) => sum + (worth[subtopic] ?? 0), 0);

/** The gain of the next document of a ranking. Its subtopics are worth less afterwards. */
const take = (worth: number[], subtopics: readonly number[]): number => {
  const gain = gainFrom(worth, subtopics);
  for (const subtopic of subtopics) worth[subtopic] = (worth[subtopic] ?? 0) * (1 - ALPHA);
  return gain;
};

const greedyGains = (covered: ReadonlyMap<string, readonly number[]>, subtopics: number, depth: number): readonly number[] => {
  const worth = new Array<number>(subtopics).fill(1);
  // Highest id first: of equal gains, the first one found is taken.
  const left = [...covered].sort(([a], [b]) => Buffer.compare(Buffer.from(b), Buffer.from(a))).map(([, ofDocument]) => ofDocument);
  const gains: number[] = [];
  while (left.length > 0 && gains.length < depth) {
    let best = 0;
    for (const [at, ofDocument] of left.entries()) if (gainFrom(worth, ofDocument) > gainFrom(worth, left[best] ?? [])) best = at;
    gains.push(take(worth, left.splice(best, 1)[0] ?? []));
  }
  return gains;
};
