/** For Khmer and Burmese, whose words it does not find reliably, pairs of characters are better. */
const SCRIPTS = String.raw`\p{Script=Thai}\p{Script=Lao}`;
const PARTS = new RegExp(`[${SCRIPTS}][${SCRIPTS}\\p{M}]*|[^${SCRIPTS}]+`, 'gu');
const SEGMENTED = new RegExp(`^[${SCRIPTS}]`, 'u');

/** NFKC takes this vowel apart, and the word lists do not know it like that. */
const composed = (text: string): string => text.replaceAll('\u0e4d\u0e32', '\u0e33').replaceAll('\u0ecd\u0eb2', '\u0eb3');

/** Which locale is named does not matter: the word list is chosen by the script. */
const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/** `words`: of a script whose words are found by a word list. Without: of one whose characters and pairs are words (Chinese, Japanese, Korean, Khmer, Burmese). */
export type UnspacedPart = Readonly<{ text: string; words?: readonly string[] }>;

/** Splits a run of scripts without spaces into parts of one kind. */
export const unspacedParts = (run: string): readonly UnspacedPart[] =>
  (run.match(PARTS) ?? []).map((text) => (SEGMENTED.test(text) ? { text, words: wordsOf(text) } : { text }));

const wordsOf = (text: string): readonly string[] => [...segmenter.segment(composed(text))].map(({ segment }) => segment);
