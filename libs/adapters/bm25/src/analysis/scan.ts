import {
  characterClass,
  DIGIT,
  IGNORED,
  LOWER,
  MARK,
  SEPARATOR,
  UNDERSCORE,
  UNSPACED,
  UPPER,
  type CharacterClass,
} from './character-classes.ts';

/**
 * A piece of text that the scanner found. `simple`: one word in one case style that need not be split; `plain`: one of lower-case ASCII
 * letters and digits, as most are.
 */
export type Run = Readonly<{ kind: 'word' | 'unspaced'; text: string; simple: boolean; plain: boolean }>;

const DOT = 0x2e;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * Splits normalised text into words (with their `_` and inner dots, for `splitIdentifier`) and runs of scripts without spaces.
 * Marks stay with their letter. Any character that is not a letter, digit or mark separates words.
 */
export const scan = (text: string, emit: (run: Run) => void): void => {
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = endOfPlain(text, at);
    if (at > start) {
      emit({ kind: 'word', text: text.slice(start, at), simple: true, plain: true });
      continue;
    }
    const first = characterClass(text.codePointAt(at) as number);
    if (first === UNSPACED) {
      at = endOfUnspaced(text, at);
      emit({ kind: 'unspaced', text: text.slice(start, at), simple: false, plain: false });
    } else if (first === LOWER || first === UPPER || first === DIGIT || first === UNDERSCORE) {
      at = scanWord(text, start, emit);
    } else {
      at += width(text, at);
    }
  }
};

const width = (text: string, at: number): number => ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);

/** Returns where a plain word ends that starts here, or `from` if none does. The same as `scanWord`, in a third of the time. */
const endOfPlain = (text: string, from: number): number => {
  let at = from;
  let unit = text.charCodeAt(at);
  while (isPlain(unit)) unit = text.charCodeAt(++at);
  const ends = at === text.length || (unit < FIRST_BEYOND_ASCII && characterClass(unit) === SEPARATOR && unit !== DOT);
  return ends ? at : from;
};

const isPlain = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);

const endOfUnspaced = (text: string, from: number): number => {
  let at = from;
  while (at < text.length) {
    const kind = characterClass(text.codePointAt(at) as number);
    if (kind !== UNSPACED && kind !== MARK) break;
    at += width(text, at);
  }
  return at;
};

const scanWord = (text: string, start: number, emit: (run: Run) => void): number => {
  let at = start;
  let simple = true;
  let ignored = false;
  let previous: CharacterClass = SEPARATOR;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) as number;
    const kind = characterClass(codePoint);
    if (kind === UNSPACED || (kind === SEPARATOR && !joins(text, at))) break;
    if (kind === IGNORED) ignored = true;
    else if (kind !== MARK) {
      if (simple && isPartBoundary(kind, previous, text, at)) simple = false;
      previous = kind;
    }
    at += codePoint > 0xffff ? 2 : 1;
  }
  const run = text.slice(start, at);
  emit({ kind: 'word', text: ignored ? run.replace(/\p{Cf}/gu, '') : run, simple, plain: false });
  return at;
};

/** A dot joins two parts only when it is between them: `os.path`, but not at the end of a sentence. */
const joins = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) !== DOT || at + 1 === text.length) return false;
  const next = characterClass(text.codePointAt(at + 1) as number);
  return next === LOWER || next === UPPER || next === DIGIT || next === UNDERSCORE;
};

/** Whether a part of an identifier starts or ends at this character of a word. */
const isPartBoundary = (kind: CharacterClass, previous: CharacterClass, text: string, at: number): boolean => {
  if (kind === SEPARATOR || kind === UNDERSCORE) return true;
  if (kind === UPPER) return previous === LOWER;
  // `HTTPServer`: the last of several capitals starts a word.
  return kind === LOWER && previous === UPPER && at > 1 && characterClass(text.charCodeAt(at - 2)) === UPPER;
};
