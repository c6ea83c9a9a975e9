import type { ChunkId } from '@palimpsest/knowledge';
import type { FusedHit } from './fusion.ts';

export type Threshold = Readonly<{
  /** Least cosine similarity, -1 to 1. */
  minScore: number;
  /** How far below `minScore` a vector may lie and still be rescued. */
  margin?: number;
  /** The first so many places of the lexical list rescue. */
  rescueRanks?: number;
}>;

export const DEFAULT_MARGIN = 0.1;
export const DEFAULT_RESCUE_RANKS = 10;

/** `reason` in words, for explanations. */
export type Dropped = Readonly<{ chunkId: ChunkId; reason: string }>;
export type Sifted<Hit> = Readonly<{ kept: readonly Hit[]; rescued: ReadonlySet<ChunkId>; dropped: readonly Dropped[] }>;

/**
 * Drops what is not similar enough; the order stays. A hit is kept when
 * 1. its cosine is at least `minScore`; or
 * 2. its cosine is below by at most `margin`, and it is among the first `rescueRanks` of the lexical list (rescued); or
 * 3. only the lexical list holds it, among its first `rescueRanks` (rescued): its cosine is unknown, but the words vouch for it.
 * When no hit has a cosine, the search was by words alone and `minScore` has nothing to say: all are kept.
 */
export const applyThreshold = <Hit extends FusedHit>(hits: readonly Hit[], threshold: Threshold): Sifted<Hit> => {
  const { minScore, margin = DEFAULT_MARGIN, rescueRanks = DEFAULT_RESCUE_RANKS } = threshold;
  const byWordsAlone = hits.every(({ dense }) => dense === undefined);
  if (byWordsAlone) return { kept: hits, rescued: new Set(), dropped: [] };
  const rescued = new Set<ChunkId>();
  const dropped: Dropped[] = [];
  const kept = hits.filter(({ chunkId, dense, lexical }) => {
    if (dense !== undefined && dense.score >= minScore) return true;
    const isBorderline = dense === undefined || dense.score >= minScore - margin;
    const isVouchedFor = lexical !== undefined && lexical.rank <= rescueRanks;
    if (isBorderline && isVouchedFor) {
      rescued.add(chunkId);
      return true;
    }
    const cosine = dense === undefined ? 'not among the nearest vectors' : `cosine ${dense.score.toFixed(3)} is below ${minScore}`;
    const words = lexical === undefined ? 'no word matches' : `lexical rank ${lexical.rank}`;
    dropped.push({ chunkId, reason: `${cosine}, ${words}` });
    return false;
  });
  return { kept, rescued, dropped };
};
