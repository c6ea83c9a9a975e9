import type { EmbeddingKind, EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { embeddingVersion, embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';

export type WordModelCall = Readonly<{ texts: readonly string[]; kind: EmbeddingKind }>;

const wordsOf = (text: string): readonly string[] => text.match(/\S+/gu) ?? [];

/**
 * A model that reads `maxWords` words; each adds one to the dimension of its hash. The test kit has a
 * better one, but depends on this library.
 */
export const aWordModel = ({
  maxWords,
  version = embeddingVersion('fake:words/64'),
}: Readonly<{ maxWords: number; version?: EmbeddingVersion }>): EmbeddingProvider & Readonly<{ calls: WordModelCall[] }> => {
  const { dimensions } = embeddingVersionParts(version);
  const calls: WordModelCall[] = [];
  return {
    version,
    calls,
    window: async () => ({ tokenizer: 'words', tokens: maxWords, count: (text) => wordsOf(text).length }),
    embed: async (texts, kind) => {
      calls.push({ texts: [...texts], kind });
      return texts.map((text) => {
        const words = wordsOf(text);
        return {
          vector: unitVector(words.slice(0, maxWords), dimensions),
          tokens: Math.min(words.length, maxWords),
          truncated: words.length > maxWords,
        };
      });
    },
    close: async () => undefined,
  };
};

const unitVector = (words: readonly string[], dimensions: number): Float32Array => {
  const sum = new Float32Array(dimensions);
  for (const word of words) {
    let hash = 7;
    for (const character of word) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    sum[hash % dimensions] = (sum[hash % dimensions] ?? 0) + 1;
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
};
