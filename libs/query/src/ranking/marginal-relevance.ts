import { passageWords } from './passage-words.ts';

/** `relevance`: on the scale of the search. */
type Passage = Readonly<{ text: string; relevance: number }>;
/** `at`: index of the passage. `like`: that of the most similar one chosen before it, with their similarity (0 to 1). */
export type Chosen = Readonly<{ at: number; value: number; relevance: number; like?: Readonly<{ at: number; similarity: number }> }>;

/**
 * Chooses passages one after the other: each time the one with the highest (1 - diversity) × relevance - diversity × similarity to the
 * most similar one chosen before. Relevance is moved to 0…1 among the given passages; of equal ones, the first is chosen.
 * Carbonell, Goldstein: The use of MMR, diversity-based reranking for reordering documents and producing summaries (SIGIR 1998).
 */
export const byMarginalRelevance = (passages: readonly Passage[], diversity: number, wanted: number): readonly Chosen[] => {
  const relevances = scaled(passages.map(({ relevance }) => relevance));
  const vectors = wordVectors(passages.map(({ text }) => text));
  const nearest: (Chosen['like'] | undefined)[] = passages.map(() => undefined);
  const open = new Set(passages.keys());
  const chosen: Chosen[] = [];
  while (chosen.length < wanted && open.size > 0) {
    let best: Chosen | undefined;
    for (const at of open) {
      const [relevance = 0, like] = [relevances[at], nearest[at]];
      const value = (1 - diversity) * relevance - diversity * (like?.similarity ?? 0);
      if (best === undefined || value > best.value) best = { at, value, relevance, ...(like === undefined ? {} : { like }) };
    }
    if (best === undefined) break;
    open.delete(best.at);
    chosen.push(best);
    for (const at of open) {
      const similarity = dot(vectors[at], vectors[best.at]);
      if (similarity > (nearest[at]?.similarity ?? 0)) nearest[at] = { at: best.at, similarity };
    }
  }
  return chosen;
};

const scaled = (values: readonly number[]): readonly number[] => {
  const [min, max] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
    Infinity,
    -Infinity,
  ] as const);
  return values.map((value) => (max > min ? (value - min) / (max - min) : 1));
};

type WordVector = ReadonlyMap<string, number>;

/**
 * Weights of the words of each passage, of unit length. A word counts less the more of the passages have it: those of the query, which
 * most of them have, say little about how two of them differ.
 */
const wordVectors = (texts: readonly string[]): readonly WordVector[] => {
  const counts = texts.map((text) => {
    const counted = new Map<string, number>();
    for (const word of passageWords(text)) counted.set(word, (counted.get(word) ?? 0) + 1);
    return counted;
  });
  const holders = new Map<string, number>();
  for (const counted of counts) for (const word of counted.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  return counts.map((counted) => {
    const weights = [...counted].map(
      ([word, count]) => [word, (1 + Math.log(count)) * Math.log((texts.length + 1) / (holders.get(word) ?? 1))] as const,
    );
    const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1;
    return new Map(weights.map(([word, weight]) => [word, weight / length]));
  });
};

const dot = (one: WordVector = new Map(), other: WordVector = new Map()): number => {
  const [short, long] = one.size < other.size ? [one, other] : [other, one];
  let sum = 0;
  for (const [word, weight] of short) sum += weight * (long.get(word) ?? 0);
  return sum;
};
