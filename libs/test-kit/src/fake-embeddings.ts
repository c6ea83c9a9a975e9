import { EmbeddingModelMismatch, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding, EmbeddingKind, EmbeddingProvider, RegisteredModel } from '@palimpsest/knowledge/ports';
import { modelIdOf } from '@palimpsest/knowledge/models';
import { embeddingVersionOf, embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';

export type FakeEmbeddingOptions = Readonly<{
  /** Any version of any width; vectors of different versions are unrelated. */
  version?: EmbeddingVersion;
  /** Number of words that the "model" reads; the rest is truncated. */
  maxWords?: number;
  /** The actual width of the vectors, to test a model that does not match its version. */
  answeredWidth?: number;
  /** Runs before each call returns: wait in it to delay the call, throw to make it fail. */
  beforeAnswer?: (call: FakeEmbeddingCall) => Promise<void> | void;
}>;

export type FakeEmbeddingCall = Readonly<{ texts: readonly string[]; kind: EmbeddingKind; signal: AbortSignal | undefined }>;

/** `calls`: every call, including failed ones. */
export type FakeEmbeddingProvider = EmbeddingProvider & Readonly<{ calls: readonly FakeEmbeddingCall[] }>;

/**
 * A bag of words as a unit vector: each word adds a direction that is derived from its hash. Texts with common words have similar
 * vectors, word order and case do not count, and the same text has bit-identical vectors on every machine.
 */
export const aFakeEmbeddingProvider = (options: FakeEmbeddingOptions = {}): FakeEmbeddingProvider => {
  const version = options.version ?? embeddingVersionOf({ provider: 'fake', model: 'bag-of-words', dimensions: 64 });
  const { dimensions } = embeddingVersionParts(version);
  const { maxWords = 512, answeredWidth = dimensions, beforeAnswer } = options;
  const calls: FakeEmbeddingCall[] = [];
  let closed = false;

  const embedOne = (text: string): Embedding => {
    const words = text.toLowerCase().match(WORDS) ?? [text];
    const read = words.slice(0, maxWords);
    return { vector: bagOfWords(read, version, answeredWidth), tokens: read.length, truncated: words.length > maxWords };
  };

  return {
    version,
    calls,
    window: async () => ({ tokenizer: 'words', tokens: maxWords, count: countWords }),
    embed: async (texts, kind, signal) => {
      const call = { texts: [...texts], kind, signal };
      calls.push(call);
      signal?.throwIfAborted();
      if (closed) throw new Unavailable('the embedding provider is closed');
      const blank = texts.findIndex((text) => text.trim() === '');
      if (blank >= 0) throw new InvalidValue(`texts[${blank}]`, 'a text that is not blank', texts[blank]);
      await orAborted(beforeAnswer?.(call), signal);
      if (answeredWidth !== dimensions)
        throw new EmbeddingModelMismatch(version, [embeddingVersionOf({ ...embeddingVersionParts(version), dimensions: answeredWidth })]);
      return texts.map(embedOne);
    },
    close: async () => {
      closed = true;
    },
  };
};

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** A run without letters also counts as a word. */
const countWords = (text: string): number => {
  let words = 0;
  for (const [run] of text.matchAll(/\S+/gu)) words += run.match(WORDS)?.length ?? 1;
  return words;
};

const bagOfWords = (words: readonly string[], seed: string, width: number): Float32Array => {
  const sum = new Float64Array(width);
  for (const word of words) {
    let state = hash(`${seed} ${word}`);
    for (let d = 0; d < width; d++) {
      state = nextRandom(state);
      sum[d] = (sum[d] ?? 0) + (state / 2 ** 31 - 1);
    }
  }
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return Float32Array.from(sum, (value) => value / length);
};

/** FNV-1a over UTF-16 units, 32 bits. */
const hash = (text: string): number => {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state >>> 0;
};

/** Mulberry32's mixing step, 32 bits. */
const nextRandom = (state: number): number => {
  let mixed = (state + 0x6d2b79f5) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
};

/** Waits for `work` until the signal is aborted. */
const orAborted = async (work: Promise<void> | void, signal: AbortSignal | undefined): Promise<void> => {
  if (signal === undefined) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
    signal.throwIfAborted();
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
};

/** A model without limits and price, as `EmbeddingProviders` describes it. */
export const aRegisteredModel = (version: EmbeddingVersion): RegisteredModel => ({
  id: modelIdOf(version),
  version,
  origin: 'settings',
  limits: {},
  loaded: true,
});
