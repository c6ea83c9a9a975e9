import type { Schemas } from '@qdrant/js-client-rest';

export type Bm25Shape = Readonly<{ k1: number; b: number; averageLength: number }>;

/**
 * Several processes cannot number terms consistently without coordination, so a term's index is a hash of it:
 * FNV-1a over its UTF-16 units, mixed as in MurmurHash3. Among a million different terms there are about 116 collisions. Such terms
 * share their idf, and a chunk may be ranked by the other term's weight. It is never returned for a term that it does not
 * contain, since results are checked against the terms themselves.
 */
export const termIndex = (term: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

export const countTerms = (terms: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/**
 * BM25 without its idf, which the server multiplies in: tf / (tf + k1 × (1 − b + b × length / average)), Robertson's formula
 * without the constant factor k1 + 1, as in the in-process index. The average is a setting: the true one would change with every write.
 */
export const documentVector = (terms: readonly string[], { k1, b, averageLength }: Bm25Shape): Schemas['SparseVector'] => {
  const norm = k1 * (1 - b + (b * terms.length) / averageLength);
  return sparse([...countTerms(terms)].map(([term, frequency]) => [term, frequency / (frequency + norm)]));
};

/** A term counts as often as the query contains it. */
export const queryVector = (frequencies: ReadonlyMap<string, number>): Schemas['SparseVector'] => sparse([...frequencies]);

/** The weights of terms with the same index are added up: the server refuses a repeated index. */
const sparse = (weights: readonly (readonly [string, number])[]): Schemas['SparseVector'] => {
  const byIndex = new Map<number, number>();
  for (const [term, weight] of weights) byIndex.set(termIndex(term), (byIndex.get(termIndex(term)) ?? 0) + weight);
  const sorted = [...byIndex].sort(([x], [y]) => x - y);
  return { indices: sorted.map(([index]) => index), values: sorted.map(([, weight]) => weight) };
};
