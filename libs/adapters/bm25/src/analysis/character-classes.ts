/** Character classes of the scanner. Numbers, so that they fit into a table of bytes. */
export const SEPARATOR = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
/** Combining marks (accents, Hindi vowel signs): always part of the preceding word. */
export const MARK = 4;
export const UNDERSCORE = 5;
/** Scripts that are written without spaces; Hangul, whose particles are attached to the word; emoji. All but Thai and Lao are split into bigrams. */
export const UNSPACED = 6;
/** Invisible characters inside a word (soft hyphen, zero-width joiner): removed without ending the word. */
export const IGNORED = 7;

export type CharacterClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

const SCRIPTS_WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

/** Not the arrows, signs and digits below these code points, some of which are emoji by name only. */
const FIRST_EMOJI = 0x2600;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Presentation}]/u;

/** Zero-width space is a format character, but it separates words. */
const ZERO_WIDTH_SPACE = 0x200b;

const classify = (codePoint: number): CharacterClass => {
  if (codePoint === 0x5f) return UNDERSCORE;
  if (codePoint === ZERO_WIDTH_SPACE) return SEPARATOR;
  const character = String.fromCodePoint(codePoint);
  if (/\p{M}/u.test(character)) return MARK;
  if (/[\p{L}\p{N}]/u.test(character) || codePoint === 0x30fc) {
    if (SCRIPTS_WITHOUT_SPACES.test(character)) return UNSPACED;
    if (/\p{N}/u.test(character)) return DIGIT;
    return /[\p{Lu}\p{Lt}]/u.test(character) ? UPPER : LOWER;
  }
  if (codePoint >= FIRST_EMOJI && EMOJI.test(character)) return UNSPACED;
  return /\p{Cf}/u.test(character) ? IGNORED : SEPARATOR;
};

const UNKNOWN = 255;
const table = new Uint8Array(0x10000).fill(UNKNOWN);

/** Returns the class of a code point. Classes of the first plane are cached; other code points are rare enough to classify each time. */
export const characterClass = (codePoint: number): CharacterClass => {
  if (codePoint > 0xffff) return classify(codePoint);
  const known = table[codePoint] as number;
  if (known !== UNKNOWN) return known as CharacterClass;
  return (table[codePoint] = classify(codePoint));
};
