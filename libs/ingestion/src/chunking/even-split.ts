import type { BoundaryStrength } from './boundary-strength.ts';
import { bestCut, spanAround, type Span } from './cuts.ts';
import type { Ruler } from './ruler.ts';
import { pieceStart, skipBlanks, trimEnd } from './safe-offset.ts';

/** A piece below this share of the limit counts as tiny. */
export const TINY = 0.25;

/** `max` is in the ruler's units. */
type SplitRules = Readonly<{ max: number; ruler: Ruler; strength: BoundaryStrength; keepWhole?: readonly Span[] }>;

/** Shrinks a piece that turned out too large. */
const SHRINK = 0.9;

/**
 * Splits a span into pieces of at most `max`, without overlap, as even as its boundaries allow: 1,600 characters with a
 * limit of 1,500 become two halves, not a full piece and a scrap. A blank span gives no piece.
 */
export function* evenSplit(text: string, span: Span, rules: SplitRules): Generator<Span> {
  const { max, ruler, strength, keepWhole = [] } = rules;
  const end = trimEnd(text, span.start, span.end);
  let start = pieceStart(text, span.start, end);
  for (let rest = ruler.size(start, end); start < end && rest > max; rest = ruler.size(start, end)) {
    const share = rest / Math.ceil(rest / max);
    const earliest = skipBlanks(text, start, end) + 1;
    let to = Math.min(ruler.advance(start, max), ruler.back(end, Math.floor(max * TINY)));
    let from = Math.max(earliest, earliestEnd(text, start, ruler.advance(start, Math.floor(share / 2)), to, keepWhole));
    const target = ruler.advance(start, share);
    let cut = bestCut(text, { from, to: Math.max(from, to), target }, strength, keepWhole);
    while (ruler.size(start, cut.end) > max && cut.end > earliest) {
      to = Math.max(earliest, start + Math.floor((Math.min(to, cut.end) - start) * SHRINK));
      from = Math.max(earliest, Math.min(from, to));
      cut = bestCut(text, { from, to, target }, strength, keepWhole);
    }
    yield { start, end: cut.end };
    start = Math.min(cut.next, end);
  }
  if (end > start) yield { start, end };
}

/** A block to keep whole that no longer fits moves to the next piece, even if this piece then ends early. */
const earliestEnd = (text: string, start: number, byDefault: number, to: number, keepWhole: readonly Span[]): number => {
  const block = spanAround(keepWhole, to);
  if (block === undefined || block.start <= start || block.start >= byDefault) return byDefault;
  return trimEnd(text, start, block.start);
};
