/** The number of characters removed from a text, by kind. */
export type Hidden = Readonly<Partial<Record<HiddenKind, number>>>;
export type HiddenKind = 'tags' | 'directions' | 'zeroWidth' | 'selectors' | 'marks';

/** Maximum number of combining marks on a letter; the densest scripts use four or five. */
const MAX_MARKS = 8;

/** The flags that are written with tag characters: England, Scotland, Wales. */
const FLAG =
  /^\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u;
const FLAG_UNITS = 14;

/** Scripts that separate words by zero-width spaces, and scripts (and emoji) that use joiners. */
const SEPARATED = /[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}]/u;

/** One character class, so that a text without any of them costs one pass. Its characters are then examined one by one. */
const SUSPECT =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|\p{M}{9}/u;
const MARK = /\p{M}/u;

/** U+200E, U+200F, U+061C: they define the direction of neutral characters, and hide nothing. */
const isPlainDirection = (code: number): boolean => code === 0x200e || code === 0x200f || code === 0x61c;
const isOverride = (code: number): boolean => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x206f);
const isTag = (code: number): boolean => code >= 0xe0000 && code <= 0xe007f;
const isSelector = (code: number): boolean =>
  (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef) || (code >= 0x180b && code <= 0x180f && code !== 0x180e);
/** First and last code point of each range of zero-width characters without a meaning of their own. */
const ZERO_WIDTH: ReadonlyArray<readonly [first: number, last: number]> = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200d],
  [0x2060, 0x2065],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0080, 0xe0fff],
];
const isZeroWidth = (code: number): boolean => ZERO_WIDTH.some(([first, last]) => code >= first && code <= last);
const isFiller = (code: number): boolean => code === 0x115f || code === 0x1160 || code === 0x3164 || code === 0xffa0;

/** Whether this character has a purpose between these two characters. */
function isNeeded(code: number, before: string, after: string): boolean {
  if (code === 0x200b) return SEPARATED.test(before) && SEPARATED.test(after);
  if (code === 0x200c || code === 0x200d) return JOINED.test(before) || (MARK.test(before) && JOINED.test(after));
  return isFiller(code) && /\p{Script=Hangul}/u.test(before || after);
}

function kindOf(code: number, before: string, after: string): HiddenKind | undefined {
  if (isPlainDirection(code)) return undefined;
  if (isTag(code)) return 'tags';
  if (isOverride(code)) return 'directions';
  // One selector after a visible character selects its glyph; several in a row can hide data.
  if (isSelector(code)) return before === '' || /\s/.test(before) || isSelector(before.codePointAt(0) ?? 0) ? 'selectors' : undefined;
  if (isZeroWidth(code) || isFiller(code)) return isNeeded(code, before, after) ? undefined : 'zeroWidth';
  return undefined;
}

export type Revealed = Readonly<{
  text: string;
  hidden: Hidden;
  /** Maps an offset in the original text to the new text. */
  at: (offset: number) => number;
}>;

/**
 * Removes characters that people do not see but models read: tag characters, directional overrides, zero-width characters and variation
 * selectors without a purpose, and combining marks beyond eight on one letter. Keeps those that scripts and emoji need. Linear.
 */
export function withoutHidden(text: string): Revealed {
  if (!SUSPECT.test(text)) return { text, hidden: {}, at: (offset) => offset };
  const hidden: Partial<Record<HiddenKind, number>> = {};
  const kept: string[] = [];
  const cuts: { end: number; removed: number }[] = [];
  let removed = 0;
  let from = 0;
  let before = '';
  let marks = 0;
  const cut = (start: number, length: number, kind: HiddenKind): void => {
    kept.push(text.slice(from, start));
    from = start + length;
    removed += length;
    cuts.push({ end: from, removed });
    hidden[kind] = (hidden[kind] ?? 0) + 1;
  };
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const character = code < 0x80 ? (text[at] ?? '') : String.fromCodePoint(code);
    if (code === 0x1f3f4 && FLAG.test(text.slice(at, at + FLAG_UNITS))) {
      [before, marks, at] = [character, 0, at + FLAG_UNITS];
      continue;
    }
    const kind = code < 0x80 ? undefined : (kindOf(code, before, nextCharacter(text, at + length)) ?? pile(code));
    if (kind !== undefined) cut(at, length, kind);
    else before = character;
    at += length;
  }
  kept.push(text.slice(from));
  return { text: kept.join(''), hidden, at: (offset) => offset - removedBefore(cuts, offset) };

  /** Counts the marks on a letter; surplus marks are removed. */
  function pile(code: number): HiddenKind | undefined {
    marks = code >= 0x300 && MARK.test(String.fromCodePoint(code)) ? marks + 1 : 0;
    return marks > MAX_MARKS ? 'marks' : undefined;
  }
}

const nextCharacter = (text: string, at: number): string => (at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : '');

function removedBefore(cuts: readonly { end: number; removed: number }[], offset: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cuts[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return cuts[low - 1]?.removed ?? 0;
}

const NAMES: Readonly<Record<HiddenKind, string>> = {
  tags: 'tag characters',
  directions: 'text direction characters',
  zeroWidth: 'zero-width characters',
  selectors: 'repeated variation selectors',
  marks: 'surplus combining marks',
};

/** The warning for users. A few zero-width characters are common (soft hyphens, byte order marks), so only larger numbers are reported. */
export function hiddenWarning(hidden: Hidden): string | undefined {
  const minZeroWidth = 20;
  const reported = Object.entries(hidden).filter(([kind, count]) => kind !== 'zeroWidth' || count >= minZeroWidth);
  if (reported.length === 0) return undefined;
  const list = reported.map(([kind, count]) => `${count.toLocaleString('en-US')} ${NAMES[kind as HiddenKind]}`).join(', ');
  return `Removed invisible characters: ${list}.`;
}
