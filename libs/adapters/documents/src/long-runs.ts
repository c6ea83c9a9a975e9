/** UTF-16 units. Merging a run takes quadratic time; 256 keeps hostile text below 1 µs per unit and keeps real words whole. */
const LONGEST_RUN = 256;

const SPACE = 0;
const LETTER = 1;
const NUMBER = 2;
const SIGN = 3;

function classOf(unit: number): number {
  const character = String.fromCharCode(unit);
  if (/\s/u.test(character)) return SPACE;
  // Halves of surrogate pairs cannot be classified cheaply. Treating them as letters is safe, since only length matters.
  if (/[\p{L}\p{M}\p{Cs}]/u.test(character)) return LETTER;
  return /\p{N}/u.test(character) ? NUMBER : SIGN;
}

let classes: Uint8Array | undefined;
/** The class of every UTF-16 unit, computed at first use (about 10 ms). */
const classTable = (): Uint8Array => (classes ??= Uint8Array.from({ length: 0x10000 }, (_, unit) => classOf(unit)));

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Splits a text into segments without runs of more than 256 letters, 256 spaces or 256 signs. Joined, they are the text. Nearly
 * every text has no such runs and is returned whole. Linear in the length of the text.
 */
export function* withoutLongRuns(text: string): Generator<string> {
  const table = classTable();
  let segmentStart = 0;
  let runStart = 0;
  let previous = -1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const current = table[unit] ?? SIGN;
    if (current !== previous) {
      previous = current;
      runStart = at;
    } else if (at - runStart >= LONGEST_RUN && current !== NUMBER && !isLowSurrogate(unit)) {
      yield text.slice(segmentStart, at);
      segmentStart = at;
      runStart = at;
    }
  }
  if (segmentStart < text.length) yield text.slice(segmentStart);
}
