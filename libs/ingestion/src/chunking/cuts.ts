import { SENTENCE, endsIdeographicSentence, type BoundaryStrength } from './boundary-strength.ts';
import { isBlank, pieceStart, safeOffset, skipBlanks } from './safe-offset.ts';

/** UTF-16 offsets, `end` exclusive. */
export type Span = Readonly<{ start: number; end: number }>;
/** One piece ends at `end`; the next starts at `next`, after the blanks. `strength` is 0 for a cut through a word. */
export type Cut = Readonly<{ end: number; next: number; strength: number }>;

/** Every place between `from` and `to` where a piece can end without splitting a word, ascending. */
export function* cutsBetween(text: string, from: number, to: number, strength: BoundaryStrength): Generator<Cut> {
  let at = from;
  while (at > 0 && isBlank(text.charCodeAt(at)) && isBlank(text.charCodeAt(at - 1))) at--;
  while (at <= to && at < text.length) {
    if (isBlank(text.charCodeAt(at))) {
      const first = skipBlanks(text, at, text.length);
      yield { end: at, next: pieceStart(text, at, text.length), strength: strength(text, at, first) };
      at = first;
    } else if (endsIdeographicSentence(text, at, text.length)) {
      yield { end: at, next: at, strength: SENTENCE };
    }
    at++;
  }
}

/** The span of `spans` (ascending, disjoint) that `offset` is strictly inside of. */
export const spanAround = (spans: readonly Span[], offset: number): Span | undefined => {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const candidate = spans[low - 1];
  return candidate !== undefined && offset < candidate.end ? candidate : undefined;
};

/**
 * The strongest place to end a piece between `from` and `to`, and of equals the nearest to `target`; never inside a span of
 * `keepWhole`. Without such a place, the piece ends at `to`.
 */
export const bestCut = (
  text: string,
  reach: Readonly<{ from: number; to: number; target: number }>,
  strength: BoundaryStrength,
  keepWhole: readonly Span[] = [],
): Cut => {
  const { from, to, target } = reach;
  let best: Cut | undefined;
  for (const cut of cutsBetween(text, from, to, strength)) {
    if (spanAround(keepWhole, cut.end) !== undefined) continue;
    const nearer = best !== undefined && Math.abs(cut.end - target) <= Math.abs(best.end - target);
    if (best === undefined || cut.strength > best.strength || (cut.strength === best.strength && nearer)) best = cut;
  }
  if (best !== undefined) return best;
  const end = safeOffset(text, to, from);
  return { end, next: end, strength: 0 };
};
