import type { ChunkId } from '@palimpsest/knowledge/values';
import type { FusedHit } from './fusion.ts';

export type Threshold = Readonly<{
  /** Minimum cosine similarity, -1 to 1. */
  minScore: number;
  /** How far below `minScore` a vector can be and still be rescued. */
  margin?: number;
  /** Only this many first ranks of the lexical list rescue a hit. */
  rescueRanks?: number;
}>;

const DEFAULT_MARGIN = 0.1;
const DEFAULT_RESCUE_RANKS = 10;

/** `reason` is a text for explanations. */
export type Dropped = Readonly<{ chunkId: ChunkId; reason: string }>;
export type Sifted<Hit> = Readonly<{ kept: readonly Hit[]; rescued: ReadonlySet<ChunkId>; dropped: readonly Dropped[] }>;

/**
 * Drops hits that are not similar enough and keeps the order. A hit is kept when
 * 1. its cosine is at least `minScore`; or
 * 2. its cosine is at most `margin` below `minScore`, and it is among the first `rescueRanks` of the lexical list (rescued); or
 * 3. only the lexical list contains it, among its first `rescueRanks` (rescued): its cosine is unknown, but the word match supports it.
 * When no hit has a cosine, the search was by words only and `minScore` does not apply: all hits are kept.
 */
export const applyThreshold = <Hit extends FusedHit>(hits: readonly Hit[], threshold: Threshold): Sifted<Hit> => {
  const { minScore, margin = DEFAULT_MARGIN, rescueRanks = DEFAULT_RESCUE_RANKS } = threshold;
  const isLexicalOnly = hits.every(({ stages }) => stages.dense === undefined);
  if (isLexicalOnly) return { kept: hits, rescued: new Set(), dropped: [] };
  const rescued = new Set<ChunkId>();
  const dropped: Dropped[] = [];
  const kept = hits.filter(({ chunkId, stages: { dense, lexical } }) => {
    if (dense !== undefined && dense.score >= minScore) return true;
    const isBorderline = dense === undefined || dense.score >= minScore - margin;
    const matchesWords = lexical !== undefined && lexical.rank <= rescueRanks;
    if (isBorderline && matchesWords) {
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
