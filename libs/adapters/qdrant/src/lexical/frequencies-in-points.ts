import type { FoundPoint, PartitionPoints } from '../partitions/partition-points.ts';
import type { PartitionSeal } from '../partitions/partition-seal.ts';
import { TERMS } from './lexical-options.ts';
import { heldTerms, WORDS } from './select-in-points.ts';
import { holders, queryVector, termIndex, weightIn } from './sparse-terms.ts';

/** Number of chunks that are read to see which of many words occur at all. */
const READ = 32;

type Read = Readonly<{ points: Pick<PartitionPoints, 'query' | 'queryEach' | 'count'>; seal: Pick<PartitionSeal, 'number' | 'open'> }>;

/**
 * In how many chunks each of these terms occurs; nothing for those in none. Of many terms few occur: one search for all of them shows
 * some, the next one for the others, until no chunk has any of the rest. What occurs is counted by its idf, as the server computes it.
 */
export const frequenciesInPoints = async (terms: ReadonlySet<string>, { points, seal }: Read): Promise<ReadonlyMap<string, number>> => {
  const occurring = [...(await occurringAmong(terms, { points, seal }))];
  if (occurring.length === 0) return new Map();
  const ask = (term: string) => ({ ...WORDS, query: only(term, seal), limit: 1, payload: [TERMS], withVector: true });
  const [count, best] = await Promise.all([points.count(), points.queryEach(occurring.map(ask))]);
  return new Map(
    occurring.flatMap((term, i) => {
      const [point] = best[i] ?? [];
      const frequency = point === undefined ? 0 : holders(count, factorIn(point, termIndex(term, seal)));
      return frequency > 0 ? [[term, frequency]] : [];
    }),
  );
};

const occurringAmong = async (terms: ReadonlySet<string>, { points, seal }: Read): Promise<ReadonlySet<string>> => {
  const occurring = new Set<string>();
  const left = new Set(terms);
  while (left.size > 0) {
    const query = queryVector(new Map([...left].map((term) => [term, 1])), seal);
    const found = await points.query({ ...WORDS, query, limit: READ, payload: [TERMS] }, []);
    // A term whose number another term has may be found in no chunk at all.
    const held = found.flatMap((point) => [...heldTerms(point, seal)].filter((term) => left.has(term)));
    for (const term of held) {
      occurring.add(term);
      left.delete(term);
    }
    if (held.length === 0) break;
  }
  return occurring;
};

const only = (term: string, seal: Read['seal']) => queryVector(new Map([[term, 1]]), seal);

/** The idf of a term, by the score of a chunk in a search for this term alone. */
const factorIn = ({ score, vector }: FoundPoint, index: number): number => score / weightIn(vector, TERMS, index);
