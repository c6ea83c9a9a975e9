import type { TokenCounter } from '@palimpsest/knowledge/ports';

/** A word is a token, with the blanks after it; the first one also contains the blanks before it. */
const WORDS = /^\s*\S*\s*|\S+\s*/g;

const startsOf = (text: string): readonly number[] => (text === '' ? [] : [...text.matchAll(WORDS)].map(({ index }) => index));

/** Counts words, so that specs can tell the number of tokens of a text. */
export const wordCounter: TokenCounter = { name: 'words', count: (text) => startsOf(text).length, tokenStarts: startsOf };
