import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EmbeddingKind, EmbeddingProvider, TenantEmbeddings } from '@palimpsest/knowledge/ports';
import { embeddingVersion, embeddingVersionParts, type TenantId } from '@palimpsest/knowledge/values';
import fc from 'fast-check';
import { anyText } from './any-text.ts';

export type EmbeddingProviderUnderTest = Readonly<{
  open: () => Promise<EmbeddingProvider> | EmbeddingProvider;
  /** A provider whose model returns another width than its version states; opening it may already fail. */
  openWithWrongWidth: () => Promise<EmbeddingProvider> | EmbeddingProvider;
  /** A text that is longer than the model reads. */
  longText: string;
  /** Number of runs of each property; lower for a slow model. */
  runs?: number;
}>;

/** The model of a tenant as a provider that this kit can close. */
export const aTenantsView = (model: TenantEmbeddings, tenant: TenantId): EmbeddingProvider => {
  const embedder = model.forTenant(tenant);
  return {
    version: model.version,
    window: () => embedder.window(),
    embed: (texts, kind, signal) => embedder.embed(texts, kind, signal),
    close: () => model.close(),
  };
};

const KINDS: readonly EmbeddingKind[] = ['query', 'passage'];
const TEXTS = ['How is a password reset?', 'Bananas are yellow.', 'Überraschung: 東京 🗼', 'const answer = 42;', 'x'];

/** Realistic and random texts, never blank. */
const someText = fc
  .oneof(fc.lorem({ maxCount: 12 }), fc.string({ unit: 'grapheme', maxLength: 60 }), anyText({ maxLength: 60 }))
  .filter((text) => text.trim() !== '');

/** Number of words that fit, by binary search. */
const longestFitting = (words: readonly string[], fits: (text: string) => boolean): number => {
  let low = 1;
  let high = words.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (fits(words.slice(0, middle).join(' '))) low = middle;
    else high = middle - 1;
  }
  return low;
};

const lengthOf = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/** The contract of `EmbeddingProvider`. */
export const describeEmbeddingProvider = (name: string, underTest: EmbeddingProviderUnderTest): void =>
  describe(`${name} fulfils the contract of EmbeddingProvider`, () => {
    const { longText, runs = 25 } = underTest;
    let provider: EmbeddingProvider;
    beforeAll(async () => {
      provider = await underTest.open();
    });
    afterAll(() => provider.close());

    const vectorOf = async (text: string, kind: EmbeddingKind = 'passage'): Promise<Float32Array> => {
      const [embedding] = await provider.embed([text], kind);
      if (embedding === undefined) throw new Error('no embedding came back');
      return embedding.vector;
    };

    it('has a version', () => {
      expect(embeddingVersion(provider.version)).toBe(provider.version);
    });

    it.each(KINDS)('returns one embedding per %s, in order', async (kind) => {
      const together = await provider.embed(TEXTS, kind);
      const alone = await Promise.all(TEXTS.map((text) => vectorOf(text, kind)));
      expect(together.map(({ vector }) => vector)).toEqual(alone);
    });

    it('returns the vectors of passages for background texts', async () => {
      const [passages, background] = [await provider.embed(TEXTS, 'passage'), await provider.embed(TEXTS, 'background')];
      expect(background.map(({ vector }) => vector)).toEqual(passages.map(({ vector }) => vector));
    });

    it('returns no embeddings for no texts', async () => {
      await expect(provider.embed([], 'passage')).resolves.toEqual([]);
    });

    it('returns unit vectors with the dimensions of its version', async () => {
      const { dimensions } = embeddingVersionParts(provider.version);
      await fc.assert(
        fc.asyncProperty(someText, fc.constantFrom(...KINDS), async (text, kind) => {
          const vector = await vectorOf(text, kind);
          expect(vector).toBeInstanceOf(Float32Array);
          expect(vector).toHaveLength(dimensions);
          expect(Math.abs(lengthOf(vector) - 1)).toBeLessThan(1e-5);
        }),
        { numRuns: runs },
      );
    });

    it('returns bit-identical vectors for a text, alone or among others, at any position', async () => {
      await fc.assert(
        fc.asyncProperty(someText, fc.array(someText, { maxLength: 3 }), fc.nat(3), async (text, others, place) => {
          const among = await provider.embed(others.toSpliced(place, 0, text), 'passage');
          expect(among[Math.min(place, others.length)]?.vector).toEqual(await vectorOf(text));
        }),
        { numRuns: runs },
      );
    });

    it('returns bit-identical vectors to concurrent callers', async () => {
      const vectors = await Promise.all(Array.from({ length: 6 }, () => vectorOf('asked by six at once')));
      for (const vector of vectors) expect(vector).toEqual(vectors[0]);
    });

    it('returns different vectors for different texts', async () => {
      const vectors = (await provider.embed(TEXTS, 'passage')).map(({ vector }) => String(vector));
      expect(new Set(vectors).size).toBe(TEXTS.length);
    });

    it('is not affected by a caller who changes a vector', async () => {
      const before = (await vectorOf('mine to change')).slice();
      (await vectorOf('mine to change')).fill(0);
      expect(await vectorOf('mine to change')).toEqual(before);
    });

    it('counts the tokens that were read', async () => {
      for (const { tokens } of await provider.embed(TEXTS, 'passage')) {
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThan(0);
      }
    });

    it('truncates a text that is too long, and reports it', async () => {
      const embeddings = await provider.embed(['short', longText], 'passage');
      expect(embeddings.map(({ truncated }) => truncated)).toEqual([false, true]);
    });

    it('reads a text that fits its window completely, and not one token more', async () => {
      const { tokens, count } = await provider.window();
      expect(tokens).toBeGreaterThan(0);
      const words = Array.from({ length: 8 * tokens }, (_, i) => ['time', 'house', 'water', 'light'][i % 4] ?? '');
      const fitting = longestFitting(words, (text) => count(text) <= tokens);
      const [whole, beyond] = await provider.embed([words.slice(0, fitting).join(' '), words.slice(0, 2 * fitting).join(' ')], 'passage');
      expect([whole?.truncated, beyond?.truncated]).toEqual([false, true]);
    });

    it('counts a text as the sum of its words', async () => {
      const { count } = await provider.window();
      fc.assert(
        fc.property(fc.array(someText, { maxLength: 8 }), (texts) => {
          const words = texts
            .join(' ')
            .split(/\s+/u)
            .filter((word) => word !== '');
          expect(count(texts.join(' '))).toBe(words.reduce((sum, word) => sum + count(word), 0));
        }),
        { numRuns: runs },
      );
    });

    it('counts a megabyte of any text in reasonable time', async () => {
      const { count, tokens } = await provider.window();
      for (const unit of ['a', '語', '🗼', '\u200b', '-', 'e\u0301', '\ud83d', ' ', 'a ', '\n', '[UNK]'])
        expect(count(unit.repeat(Math.ceil(1_000_000 / unit.length)))).toBeGreaterThanOrEqual(0);
      expect(count('a '.repeat(4 * tokens))).toBeGreaterThan(tokens);
    });

    it('ignores text after the truncation', async () => {
      expect(await vectorOf(`${longText} and something else`)).toEqual(await vectorOf(longText));
    });

    it.each(['', ' ', '\n\t ', '\u3000', '\u00a0'])('rejects the blank text %j, alone or among others', async (blank) => {
      for (const kind of KINDS) {
        await expect(provider.embed([blank], kind)).rejects.toMatchObject({ code: 'InvalidValue', field: 'texts[0]' });
        await expect(provider.embed(['fine', blank, 'fine too'], kind)).rejects.toMatchObject({
          code: 'InvalidValue',
          field: 'texts[1]',
        });
      }
    });

    it('never returns a vector of the wrong width', async () => {
      const attempt = async (): Promise<unknown> => {
        const wrong = await underTest.openWithWrongWidth();
        return wrong.embed(['anything'], 'passage').finally(() => wrong.close());
      };
      await expect(attempt()).rejects.toMatchObject({ code: 'EmbeddingModelMismatch', retryable: false });
    });

    it('rejects a call whose signal is already aborted with its reason', async () => {
      const reason = new Error('changed my mind');
      await expect(provider.embed(TEXTS, 'passage', AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it('rejects a running call with the reason of its signal, and continues with others', async () => {
      const reason = new Error('changed my mind');
      const controller = new AbortController();
      const texts = TEXTS.map((text) => `${text} to be aborted`);
      const aborted = provider.embed(texts, 'passage', controller.signal);
      const kept = provider.embed(texts, 'passage', new AbortController().signal);
      controller.abort(reason);
      await expect(aborted).rejects.toBe(reason);
      expect((await kept).map(({ vector }) => vector)).toEqual(await Promise.all(texts.map((text) => vectorOf(text))));
    });
  });
