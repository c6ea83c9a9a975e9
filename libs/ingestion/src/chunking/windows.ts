import { SENTENCE, type BoundaryStrength } from './boundary-strength.ts';
import { bestCut, cutsBetween, type Cut, type Span } from './cuts.ts';
import type { Ruler } from './ruler.ts';
import { pieceStart, safeOffset, skipBlanks, trimEnd } from './safe-offset.ts';

/** Sizes in the ruler's units. The settings ensure that `overlap` is at most a quarter and `min` at most two fifths of `max`. */
export type WindowRules = Readonly<{
  max: number;
  overlap: number;
  /** Minimum size of the last window, by the ruler's estimate, unless the whole span is shorter. */
  min: number;
  ruler: Ruler;
  /** A window ends at the strongest boundary within this last share of it, at most 0.4. */
  snap: number;
  strength: BoundaryStrength;
}>;

/** A window may shrink to this share of `max` to leave `min` units to the tail. */
const SHORTEST = 0.6;
/** Shrinks a window that turned out too large slightly more than needed, so that one repetition is usually enough. */
const SAFETY = 0.98;

/**
 * Overlapping windows over a span. Each ends at the strongest boundary in its last part, and begins with as many whole
 * sentences (or lines, or words) of the previous window as fit into the overlap. A tail below `min` is joined with the previous
 * window. If both together exceed `max`, the previous window ends earlier and leaves `min` units to the tail.
 */
export function* windows(text: string, span: Span, rules: WindowRules): Generator<Span> {
  const { max, ruler } = rules;
  const end = trimEnd(text, span.start, span.end);
  let start = pieceStart(text, span.start, end);
  let covered = start;
  while (start < end) {
    const isLast = ruler.advance(start, max) >= end && ruler.size(start, end) <= max;
    if (isLast) {
      yield { start, end };
      return;
    }
    const cut = endOfWindow(text, start, covered, end, rules);
    yield { start, end: cut.end };
    covered = Math.min(cut.next, end);
    start = startOfNext(text, start, cut, rules);
  }
}

const endOfWindow = (text: string, start: number, covered: number, end: number, rules: WindowRules): Cut => {
  const { max, min, ruler, snap, strength } = rules;
  const firstNew = skipBlanks(text, covered, end);
  // After the first new character, so that every window ends later than the previous one.
  const earliest = firstNew + 1;
  const reach = Math.min(end, ruler.advance(start, max));
  // Far from the end there is always a tail, so the distance to the end need not be measured.
  let to =
    reach <= end - min * ruler.longest
      ? reach
      : Math.min(reach, Math.max(ruler.back(end, min), ruler.advance(start, Math.ceil(max * SHORTEST))));
  for (;;) {
    to = Math.max(to, earliest);
    const from = Math.max(earliest, ruler.back(to, Math.floor(max * snap)), Math.min(to, ruler.advance(start, min)));
    const cut = bestCut(text, { from, to, target: to }, strength);
    const size = ruler.size(start, cut.end);
    if (size <= max || to === earliest) return cut;
    to = start + Math.floor((Math.min(to, cut.end) - start) * Math.min(SAFETY, (SAFETY * max) / size));
  }
};

/** The cut minus the overlap, at a boundary. No overlap where blanks or odd tokens would fill half of the window. */
const startOfNext = (text: string, start: number, cut: Cut, rules: WindowRules): number => {
  const { max, overlap, ruler, strength } = rules;
  for (let wanted = overlap; wanted > 0; wanted = Math.floor(wanted / 2)) {
    const lowest = Math.max(start + 1, ruler.back(cut.end, wanted));
    const next = firstStart(text, lowest, cut.end, strength);
    if (ruler.advance(next, Math.floor(max / 2)) <= cut.next) break;
    if (next > start && ruler.size(next, cut.end) <= overlap) return next;
  }
  return cut.next;
};

/** The first place at or after `lowest` where a sentence starts, otherwise a word, otherwise any safe offset. */
const firstStart = (text: string, lowest: number, end: number, strength: BoundaryStrength): number => {
  let word: number | undefined;
  for (const cut of cutsBetween(text, lowest - 1, end - 1, strength)) {
    if (cut.next < lowest || cut.next >= end) continue;
    if (cut.strength >= SENTENCE) return cut.next;
    word ??= cut.next;
  }
  return word ?? safeOffset(text, lowest, lowest);
};
