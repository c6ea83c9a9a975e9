import { NO_SPREAD, type LexicalHit, type LexicalSpread, type ScoreSpread } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';

/** A wording of the query, as one scope knows its words. */
export type Wording = Readonly<{ text: string; spread: LexicalSpread }>;

/** `fraction`: the share of the maximum that the wording could reach. */
type HitOfWording = LexicalHit & Readonly<{ fraction: number }>;

/**
 * `fractions`: the spread of the fractions of the wording with the highest mean. That of the best wording of each chunk, which no index
 * knows, is at least as high.
 */
export const worded = (
  texts: readonly string[],
  spreads: readonly LexicalSpread[],
): Readonly<{ wordings: readonly Wording[]; fractions: ScoreSpread }> => {
  const wordings = texts.flatMap((text, i) => (spreads[i] === undefined ? [] : [{ text, spread: spreads[i] }]));
  const each = wordings.map(({ spread }) => asFractions(spread));
  const [first = NO_SPREAD, ...others] = each;
  return { wordings, fractions: others.reduce((highest, one) => (one.mean > highest.mean ? one : highest), first) };
};

const asFractions = ({ count, mean, deviation, attainable }: LexicalSpread): ScoreSpread =>
  attainable > 0 ? { count, mean: mean / attainable, deviation: deviation / attainable } : { count, mean: 0, deviation: 0 };

/** 1 for a wording without words, whose scores are all 0. */
const maximum = ({ attainable }: LexicalSpread): number => attainable || 1;

/**
 * The hits of all wordings; each chunk with the wording that it matches best, so that one with a word and its synonym does not count twice.
 * Fractions are compared: a phrase of frequent words weighs as much as the rare abbreviation that it stands for. Scores are those of the
 * query, the first wording, as if its words were as rare. Each search returns its best `k`, so the best `k` of all are among them.
 */
export const bestOfWordings = async (
  wordings: readonly Wording[],
  search: (text: string) => Promise<readonly LexicalHit[]>,
): Promise<readonly HitOfWording[]> => {
  const found = await Promise.all(wordings.map(({ text }) => search(text)));
  const best = new Map<ChunkId, HitOfWording>();
  for (const [i, { spread }] of wordings.entries()) {
    const [own, ofQuery] = [maximum(spread), maximum(wordings[0]?.spread ?? spread)];
    for (const hit of found[i] ?? []) {
      const known = best.get(hit.chunkId);
      const fraction = hit.score / own;
      const terms = [...new Set([...(known?.terms ?? []), ...hit.terms])];
      if (known !== undefined && known.fraction >= fraction) best.set(hit.chunkId, { ...known, terms });
      else best.set(hit.chunkId, { ...hit, terms, fraction, score: i === 0 ? hit.score : fraction * ofQuery });
    }
  }
  return [...best.values()];
};
