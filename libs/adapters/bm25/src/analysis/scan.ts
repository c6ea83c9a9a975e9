import { characterClass, DIGIT, IGNORED, LOWER, MARK, SEPARATOR, UNDERSCORE, UNSPACED, UPPER } from './character-classes.ts';

/** A stretch of text, as the scanner cuts it. `simple`: one word in one case style, nothing in it to split. */
export type Run = Readonly<{ kind: 'word' | 'unspaced'; text: string; simple: boolean }>;

const DOT = 0x2e;

/**
 * Cuts normalised text into words (with their `_` and inner dots, for `splitIdentifier`) and stretches of unspaced script.
 * Marks stay with their letter; what is neither letter, digit nor mark parts words.
 */
export const scan = (text: string, emit: (run: Run) => void): void => {
  let at = 0;
  while (at < text.length) {
    const start = at;
    const first = characterClass(text.codePointAt(at) as number);
    if (first === UNSPACED) {
      at = endOfUnspaced(text, at);
      emit({ kind: 'unspaced', text: text.slice(start, at), simple: false });
    } else if (first === LOWER || first === UPPER || first === DIGIT || first === UNDERSCORE) {
      at = scanWord(text, start, emit);
    } else {
      at += width(text, at);
    }
  }
};

const width = (text: string, at: number): number => ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);

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
  let previous = SEPARATOR as number;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const codePoint = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) as number) : unit;
    const kind = characterClass(codePoint);
    if (kind === SEPARATOR) {
      // A dot holds two parts together only when it stands between them: `os.path`, not the end of a sentence.
      if (unit !== DOT || !continues(text, at + 1) || previous === SEPARATOR) break;
      simple = false;
    } else if (kind === UNSPACED) break;
    else if (kind === UNDERSCORE || (kind === UPPER && previous === LOWER)) simple = false;
    // `HTTPServer`: the last capital of a row of capitals begins a word.
    else if (kind === LOWER && previous === UPPER && at - start > 1 && isUpperBefore(text, at - 1)) simple = false;
    else if (kind === IGNORED) ignored = true;
    if (kind !== MARK && kind !== IGNORED) previous = kind;
    at += codePoint > 0xffff ? 2 : 1;
  }
  const run = text.slice(start, at);
  emit({ kind: 'word', text: ignored ? run.replace(/\p{Cf}/gu, '') : run, simple });
  return at;
};

const continues = (text: string, at: number): boolean => {
  if (at >= text.length) return false;
  const kind = characterClass(text.codePointAt(at) as number);
  return kind === LOWER || kind === UPPER || kind === DIGIT || kind === UNDERSCORE;
};

const isUpperBefore = (text: string, at: number): boolean => at > 0 && characterClass(text.charCodeAt(at - 1)) === UPPER;
