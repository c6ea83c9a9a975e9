import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';
import type { SampledText } from './sample-texts.ts';

/** Words of a chunk as a query, by their place in its text. */
export type SelfQuery = Readonly<{ chunkId: ChunkId; documentId: DocumentId; start: number; end: number; text: string }>;

const WORDS = 10;
const STEP = 5;
/** Fewer words say too little to find a chunk by. */
const MIN_WORDS = 4;

type Word = Readonly<{ form: string; start: number; end: number }>;

const wordsOf = (text: string): readonly Word[] =>
  [...text.matchAll(/\S+/gu)].map((match) => ({
    form: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));

/**
 * One query for each chunk: the ten words in a row that are the rarest among all these chunks, since frequent words fit many documents.
 * Leaves out chunks with fewer than four words.
 */
export const selfQueries = (texts: readonly SampledText[]): readonly SelfQuery[] => {
  const read = texts.map((sampled) => ({ sampled, words: wordsOf(sampled.text.text) }));
  const chunksWith = new Map<string, number>();
  for (const { words } of read)
    for (const form of new Set(words.map((word) => word.form))) chunksWith.set(form, (chunksWith.get(form) ?? 0) + 1);
  const rarity = (word: Word): number => Math.log((texts.length + 1) / (chunksWith.get(word.form) ?? 1));
  return read.flatMap(({ sampled: { chunkId, documentId, text }, words }): SelfQuery[] => {
    const window = words.length < MIN_WORDS ? undefined : rarest(words, rarity);
    const [first, last] = [window?.[0], window?.at(-1)];
    return first && last ? [{ chunkId, documentId, start: first.start, end: last.end, text: text.text.slice(first.start, last.end) }] : [];
  });
};

const rarest = (words: readonly Word[], rarity: (word: Word) => number): readonly Word[] => {
  let best = words.slice(0, WORDS);
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let from = 0; from === 0 || from + WORDS <= words.length; from += STEP) {
    const window = words.slice(from, from + WORDS);
    const score = window.reduce((sum, word) => sum + rarity(word), 0) / window.length;
    if (score > bestScore) [best, bestScore] = [window, score];
  }
  return best;
};
