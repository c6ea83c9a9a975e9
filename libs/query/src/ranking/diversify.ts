import { byScoreThenId, type Scored } from './ranked-list.ts';

/** 0 (nothing in common) to 1 (the same). */
export type Similarity<Hit> = (one: Hit, other: Hit) => number;

export type Diversity<Hit> = Readonly<{
  /** 1 keeps the order by relevance, 0 considers only difference. */
  lambda?: number;
  /** Number of hits to return. */
  k: number;
  similarity: Similarity<Hit>;
}>;

const DEFAULT_LAMBDA = 0.7;

/**
 * Maximal marginal relevance: picks hits sequentially by λ · relevance − (1 − λ) · similarity to the most similar hit picked so far.
 * Relevance is the score after min-max normalisation, so that fused scores of any range have the same weight. Ties go to the higher
 * score, then to the lower chunk id. Computes at most k · n similarities.
 * Carbonell, Goldstein: The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries (SIGIR 1998).
 */
export const diversify = <Hit extends Scored>(
  hits: readonly Hit[],
  { lambda = DEFAULT_LAMBDA, k, similarity }: Diversity<Hit>,
): readonly Hit[] => {
  const ranked = [...hits].sort(byScoreThenId);
  const max = ranked[0]?.score ?? 0;
  const range = max - (ranked.at(-1)?.score ?? 0);
  let left = ranked.map((hit) => ({ hit, relevance: range > 0 ? 1 - (max - hit.score) / range : 1, nearest: 0 }));
  const picked: Hit[] = [];
  while (picked.length < k) {
    const marginal = ({ relevance, nearest }: (typeof left)[number]): number => lambda * relevance - (1 - lambda) * nearest;
    const [first, ...others] = left;
    if (first === undefined) break;
    const best = others.reduce((winner, candidate) => (marginal(candidate) > marginal(winner) ? candidate : winner), first);
    picked.push(best.hit);
    left = left
      .filter((candidate) => candidate !== best)
      .map((candidate) => ({ ...candidate, nearest: Math.max(candidate.nearest, similarity(candidate.hit, best.hit)) }));
  }
  return picked;
};

/** Cosine of two unit vectors as a similarity; negative values count as 0, the least similar. */
export const cosineSimilarity = (one: Float32Array, other: Float32Array): number => {
  let dot = 0;
  for (let at = 0; at < one.length; at++) dot += (one[at] ?? 0) * (other[at] ?? 0);
  return Math.min(1, Math.max(0, dot));
};

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);

/** Jaccard similarity of the texts' words; each text is split into words only once. */
export const wordSimilarity = (): ((one: string, other: string) => number) => {
  const known = new Map<string, ReadonlySet<string>>();
  const words = (text: string): ReadonlySet<string> => {
    const found = known.get(text) ?? wordsOf(text);
    known.set(text, found);
    return found;
  };
  return (one, other) => {
    const others = words(other);
    const shared = [...words(one)].filter((word) => others.has(word)).length;
    const all = words(one).size + others.size - shared;
    return all === 0 ? 1 : shared / all;
  };
};
