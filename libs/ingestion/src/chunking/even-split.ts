import type { BoundaryStrength } from './boundary-strength.ts';
import { bestCut, spanAround, type Span } from './cuts.ts';
import { pieceStart, skipBlanks, trimEnd } from './safe-offset.ts';

/** Below this part of the limit a piece counts as tiny. */
export const TINY = 0.25;

type SplitRules = Readonly<{ maxChars: number; strength: BoundaryStrength; keepWhole?: readonly Span[] }>;

/**
 * Cuts a span into pieces of at most `maxChars`, without overlap, as even as its boundaries allow: 1,600 characters under a
 * limit of 1,500 become two halves, not a full piece and a scrap. Blank spans give nothing.
 */
export function* evenSplit(text: string, span: Span, rules: SplitRules): Generator<Span> {
  const { maxChars, strength, keepWhole = [] } = rules;
  const end = trimEnd(text, span.start, span.end);
  let start = pieceStart(text, span.start, end);
  while (end - start > maxChars) {
    const rest = end - start;
    const share = rest / Math.ceil(rest / maxChars);
    const to = Math.min(start + maxChars, end - Math.floor(maxChars * TINY));
    const from = Math.max(skipBlanks(text, start, end) + 1, earliestEnd(text, start, start + Math.floor(share / 2), to, keepWhole));
    const cut = bestCut(text, { from, to: Math.max(from, to), target: start + share }, strength, keepWhole);
    yield { start, end: cut.end };
    start = Math.min(cut.next, end);
  }
  if (end > start) yield { start, end };
}

/** A block to keep whole that does not fit any more is better left to the next piece, even if this one then ends early. */
const earliestEnd = (text: string, start: number, usual: number, to: number, keepWhole: readonly Span[]): number => {
  const block = spanAround(keepWhole, to);
  if (block === undefined || block.start <= start || block.start >= usual) return usual;
  return trimEnd(text, start, block.start);
};
