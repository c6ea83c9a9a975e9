import { createRequire } from 'node:module';
import type { TokenCounter } from '@palimpsest/knowledge/ports';
import { withoutLongRuns } from './long-runs.ts';

/** Size of the merge cache in words; the default of 100,000 costs 150 MB on text with long random runs. */
const CACHED_WORDS = 20_000;

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');
type Vocabulary = Encoding & Readonly<{ bytePairs: readonly (string | readonly number[])[] }>;

let loaded: Vocabulary | undefined;
/** Loaded when the first text is counted: most processes never count, and it costs 0.2 s and 75 MB. */
const vocabulary = (): Vocabulary => {
  if (loaded) return loaded;
  const load = createRequire(import.meta.url);
  const encoding = load('gpt-tokenizer/encoding/o200k_base') as Encoding;
  const { default: bytePairs } = load('gpt-tokenizer/bpeRanks/o200k_base') as { default: Vocabulary['bytePairs'] };
  encoding.setMergeCacheSize(CACHED_WORDS);
  return (loaded = { ...encoding, bytePairs });
};

/** `<|endoftext|>` in a document is ordinary text, not a command. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** Number of UTF-16 code units that begin within these bytes of UTF-8: a character counts where its first byte is. */
function unitsBegunIn(bytes: readonly number[]): number {
  let units = 0;
  for (const byte of bytes) {
    const continues = (byte & 0xc0) === 0x80;
    if (!continues) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

const startsInsideCharacter = (token: string | readonly number[]): boolean =>
  typeof token !== 'string' && ((token[0] ?? 0) & 0xc0) === 0x80;

/**
 * Counts tokens like GPT-4o and its successors (`o200k_base`, byte pair encoding).
 * Runs of more than 256 letters, spaces or signs are split first, since merging is quadratic within such a run. Only there
 * the count may differ by a token from the original. A token that starts inside a character (rare scripts, emoji) has no
 * offset, so `tokenStarts` may be shorter than `count`.
 */
export function gptTokenCounter(): TokenCounter {
  return {
    name: 'o200k_base',
    count(text) {
      const { countTokens } = vocabulary();
      let total = 0;
      for (const segment of withoutLongRuns(text)) total += countTokens(segment, PLAIN);
      return total;
    },
    *tokenStarts(text) {
      const { encodeGenerator, bytePairs } = vocabulary();
      let offset = 0;
      for (const segment of withoutLongRuns(text)) {
        for (const piece of encodeGenerator(segment, PLAIN)) {
          for (const id of piece) {
            const token = bytePairs[id] ?? '';
            if (!startsInsideCharacter(token)) yield offset;
            offset += typeof token === 'string' ? token.length : unitsBegunIn(token);
          }
        }
      }
    },
  };
}
