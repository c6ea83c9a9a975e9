import type { Schemas } from '@qdrant/js-client-rest';
import type { PartitionSeal } from '../partitions/partition-seal.ts';

type Numbers = Pick<PartitionSeal, 'number'>;

export type Bm25Shape = Readonly<{ k1: number; b: number; averageLength: number }>;

/**
 * Several processes cannot number terms consistently without coordination, so a term's index is a hash of it, with a key of the scope.
 * Among a million different terms of a scope there are about 116 collisions. Such terms
 * share their idf, and a chunk may be ranked by the other term's weight. It is never returned for a term that it does not
 * contain, since results are checked against the terms themselves.
 */
export const termIndex = (term: string, seal: Numbers): number => seal.number('word', JSON.stringify(term));

export const countTerms = (terms: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/**
 * BM25 without its idf, which the server multiplies in: tf / (tf + k1 × (1 − b + b × length / average)), Robertson's formula
 * without the constant factor k1 + 1, as in the in-process index. The average is a setting: the true one would change with every write.
 */
export const documentVector = (terms: readonly string[], { k1, b, averageLength }: Bm25Shape, seal: Numbers): Schemas['SparseVector'] => {
  const norm = k1 * (1 - b + (b * terms.length) / averageLength);
  const weights = [...countTerms(terms)].map(([term, frequency]) => [term, frequency / (frequency + norm)] as const);
  return sparse(weights, seal);
};

/** A term counts as often as the query contains it. */
export const queryVector = (frequencies: ReadonlyMap<string, number>, seal: Numbers): Schemas['SparseVector'] =>
  sparse([...frequencies], seal);

/** The weights of terms with the same index are added up: the server refuses a repeated index. */
const sparse = (weights: readonly (readonly [string, number])[], seal: Numbers): Schemas['SparseVector'] => {
  const byIndex = new Map<number, number>();
  for (const [term, weight] of weights) {
    const index = termIndex(term, seal);
    byIndex.set(index, (byIndex.get(index) ?? 0) + weight);
  }
  const sorted = [...byIndex].sort(([x], [y]) => x - y);
  return { indices: sorted.map(([index]) => index), values: sorted.map(([, weight]) => weight) };
};

/** The weight of an index in a stored vector; 0 if it has none. */
export const weightIn = (vectors: unknown, name: string, index: number): number => {
  const vector: unknown = typeof vectors === 'object' && vectors !== null ? Reflect.get(vectors, name) : undefined;
  const { indices = [], values = [] } = (vector ?? {}) as Partial<Schemas['SparseVector']>;
  return values[indices.indexOf(index)] ?? 0;
};

/** The idf of a word in a partition with `count` chunks, by the factor that the server multiplied by; none if no chunk has it. */
export const rarity = (count: number, factor: number | undefined): number => Math.log((count + 1) / (holders(count, factor) + 0.5));

/** How many chunks have the word. A whole number, so that it is the same whichever chunk the factor was measured on. */
export const holders = (count: number, factor: number | undefined): number => {
  const found = factor === undefined || !Number.isFinite(factor) ? 0 : Math.round((count + 1) / Math.exp(factor) - 0.5);
  return Math.min(count, Math.max(0, found));
};
