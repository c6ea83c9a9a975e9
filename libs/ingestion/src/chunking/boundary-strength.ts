/** How good a place is to split at. The strongest one within reach wins. */
export const WORD = 1;
export const LINE = 2;
export const SENTENCE = 3;
/** A list item, table row, or a sentence that ends its line. */
export const ROW = 4;
export const PARAGRAPH = 5;
/** In code: blank lines before an unindented line, which usually begins a declaration. */
export const DECLARATION = 6;

/** The strength of the blank run from `end` to `next`, where `next` is the next non-blank character. */
export type BoundaryStrength = (text: string, end: number, next: number) => number;

const CLOSERS = new Set('"\')]}”’»*_`」』）');
const TERMINATORS = new Set('.!?…。！？؟।');
const ROW_START = /(?:[-*+•]|\d{1,3}[.)])\s|[|#>]/y;
const ABBREVIATIONS = new Set([
  'mr',
  'mrs',
  'ms',
  'dr',
  'prof',
  'st',
  'sr',
  'jr',
  'vs',
  'etc',
  'al',
  'fig',
  'figs',
  'eq',
  'nos',
  'vol',
  'pp',
  'cf',
  'approx',
  'inc',
  'ltd',
  'co',
]);

/** Line breaks between two offsets, at most 2; a form feed (a page's end) counts as two. */
const lineBreaks = (text: string, from: number, to: number): number => {
  let breaks = 0;
  for (let at = from; at < to && breaks < 2; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0c) return 2;
    if (unit === 0x0a || unit === 0x2028 || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) breaks++;
    if (unit === 0x2029) return 2;
  }
  return breaks;
};

/** The letters right before `at`, at most 8, in lower case. */
const wordBefore = (text: string, at: number): string => /[\p{L}]*$/u.exec(text.slice(Math.max(0, at - 8), at))?.[0].toLowerCase() ?? '';

/** Whether a sentence ends at `end`. Closing quotes and brackets may follow its full stop; initials and common abbreviations do not count. */
export const endsSentence = (text: string, end: number): boolean => {
  let at = end - 1;
  for (let closers = 0; closers < 4 && CLOSERS.has(text.charAt(at)); closers++) at--;
  const mark = text.charAt(at);
  if (!TERMINATORS.has(mark)) return false;
  if (mark !== '.') return true;
  const word = wordBefore(text, at);
  return word.length !== 1 && !ABBREVIATIONS.has(word);
};

const startsLowerCase = (text: string, at: number): boolean => /^\p{Ll}/u.test(text.charAt(at));

const startsRow = (text: string, at: number): boolean => {
  ROW_START.lastIndex = at;
  return ROW_START.test(text);
};

export const proseStrength: BoundaryStrength = (text, end, next) => {
  const breaks = lineBreaks(text, end, next);
  if (breaks >= 2) return PARAGRAPH;
  const sentence = endsSentence(text, end);
  if (breaks === 1) return sentence || startsRow(text, next) ? ROW : LINE;
  // "approx. five": a small letter after a full stop is rarely a new sentence, but still a better place than mid-clause.
  if (sentence) return startsLowerCase(text, next) ? LINE : SENTENCE;
  return WORD;
};

const isIndented = (text: string, next: number): boolean => next > 0 && (text.charAt(next - 1) === ' ' || text.charAt(next - 1) === '\t');

export const codeStrength: BoundaryStrength = (text, end, next) => {
  const breaks = lineBreaks(text, end, next);
  if (breaks === 0) return WORD;
  if (breaks >= 2) return isIndented(text, next) ? PARAGRAPH : DECLARATION;
  return isIndented(text, next) || /[)\]}]/.test(text.charAt(next)) ? SENTENCE : ROW;
};

const IDEOGRAPHIC_STOPS = new Set('。！？');

/** Whether a Chinese or Japanese sentence ends right before `at`. These scripts put no blank after a sentence. */
export const endsIdeographicSentence = (text: string, at: number, end: number): boolean =>
  at < end && IDEOGRAPHIC_STOPS.has(text.charAt(at - 1)) && !CLOSERS.has(text.charAt(at)) && !IDEOGRAPHIC_STOPS.has(text.charAt(at));
