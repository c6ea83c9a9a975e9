import type { ChunkText } from '@palimpsest/knowledge/events';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { embeddingVersion, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import fc from 'fast-check';
import { aWordModel } from '../test/a-word-model.ts';
import { embedPassages, embedQuery, maxVectors } from './embed-passages.ts';

const passage = (text: string, contextPrefix = ''): ChunkText => ({ text, contextPrefix, headings: [] });
const plain = (count: number, name = 'w'): string => Array.from({ length: count }, (_, i) => `${name}${i}`).join(' ');
const sent = (provider: ReturnType<typeof aWordModel>): readonly string[] => provider.calls.flatMap(({ texts }) => texts);
const WINDOW = 20;
const aProvider = (version?: EmbeddingVersion) => aWordModel({ maxWords: WINDOW, ...(version === undefined ? {} : { version }) });

describe('Embedding passages', () => {
  it('sends a fitting text unchanged below its prefix, and returns one vector', async () => {
    const provider = aProvider();
    const [made] = await embedPassages(provider, [passage(plain(18), 'Guide Install')]);
    expect(sent(provider)).toEqual([`Guide Install\n${plain(18)}`]);
    expect(made).toMatchObject({ truncated: false, tokens: 20 });
    expect(made?.further).toBeUndefined();
  });

  it('returns a vector for each window of a longer text, each with the prefix, with overlapping words', async () => {
    const provider = aProvider();
    const [made] = await embedPassages(provider, [passage(plain(60), 'Guide > Install')]);
    const texts = sent(provider);
    expect(made?.truncated).toBe(false);
    expect(made?.further).toHaveLength(texts.length - 1);
    expect(texts.every((text) => text.startsWith('Guide > Install\n'))).toBe(true);
    for (const word of plain(60).split(' ')) expect(texts.some((text) => text.split(/\s/).includes(word))).toBe(true);
    expect(
      texts
        .join(' ')
        .split(/\s/)
        .filter((word) => word.startsWith('w')).length,
    ).toBeGreaterThan(60);
    expect(texts.length).toBeLessThanOrEqual(5);
  });

  it('returns the same vectors independent of other passages in the call', async () => {
    const many = [passage(plain(5)), passage(plain(50, 'x')), passage(plain(90, 'y'), 'Title')];
    const together = await embedPassages(aProvider(), many);
    for (const [i, one] of many.entries()) expect(await embedPassages(aProvider(), [one])).toEqual([together[i]]);
  });

  it('treats a prefix that would fill most of a window as text', async () => {
    const provider = aProvider();
    const [made] = await embedPassages(provider, [passage(plain(10), plain(30, 'h'))]);
    for (const word of [...plain(10).split(' '), ...plain(30, 'h').split(' ')])
      expect(sent(provider).some((text) => text.split(/\s/).includes(word))).toBe(true);
    expect(made?.truncated).toBe(false);
  });

  it('never sends a text that does not fit, and reports lost words', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 300 }),
        fc.array(fc.stringMatching(/^[A-Z]{1,5}$/), { maxLength: 12 }),
        async (words, prefix) => {
          const provider = aProvider();
          const { count, tokens } = await provider.window();
          const [made] = await embedPassages(provider, [passage(words.join(' '), prefix.join(' '))]);
          const texts = sent(provider);
          expect(texts.every((text) => count(text) <= tokens)).toBe(true);
          expect(made?.truncated).toBe(false);
          const read = new Set(texts.flatMap((text) => text.split(/\s/)));
          expect(words.every((word) => read.has(word))).toBe(true);
        },
      ),
      { numRuns: 50 },
    ));

  it('returns only as many vectors of a chunk as fit into an event, and reports truncation', async () => {
    for (const [dimensions, max] of [
      [384, 64],
      [1_536, 48],
      [4_096, 18],
    ] as const) {
      expect(maxVectors(dimensions)).toBe(max);
      const provider = aProvider(embeddingVersion(`fake:m/${dimensions}`));
      const [made] = await embedPassages(provider, [passage(plain(4_000))]);
      expect(made).toMatchObject({ truncated: true, further: { length: max - 1 } });
    }
  });

  it.each([
    ['one character', 'x'.repeat(2_000_000)],
    ['signs', '-'.repeat(500_000)],
    ['zero-width characters', `a${'\u200b'.repeat(500_000)}b`],
    ['blanks', `a${' '.repeat(1_000_000)}b`],
    ['emoji', '🗼'.repeat(200_000)],
    ['words', 'word '.repeat(200_000)],
  ])('bounds the vectors of a hostile chunk of %s', async (_, text) => {
    const provider = aProvider();
    const [made] = await embedPassages(provider, [passage(text)]);
    expect(1 + (made?.further?.length ?? 0)).toBeLessThanOrEqual(64);
    expect(sent(provider).join('').length).toBeLessThan(64 * WINDOW * 20);
  });

  it('halves a window that the model truncated although it fits by its count', async () => {
    const provider = aWordModel({ maxWords: WINDOW });
    const boastful: EmbeddingProvider = { ...provider, window: async () => ({ ...(await provider.window()), tokens: 3 * WINDOW }) };
    const [made] = await embedPassages(boastful, [passage(plain(50))]);
    expect(made).toMatchObject({ truncated: false, further: { length: 3 } });
  });
});

describe('Embedding a query', () => {
  it('returns the vector of the model if the query fits', async () => {
    const [expected] = await aProvider().embed([plain(WINDOW)], 'query');
    expect(await embedQuery(aProvider(), plain(WINDOW))).toEqual(expected?.vector);
  });

  it('returns one vector of length 1 for a longer query, to which every part contributes', async () => {
    const provider = aProvider();
    const vector = await embedQuery(provider, plain(60));
    expect(provider.calls.map(({ kind }) => kind)).toEqual(['query']);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const dot = (other: Float32Array | undefined) => vector.reduce((sum, value, i) => sum + value * (other?.[i] ?? 0), 0);
    for (const [from, to] of [
      [0, 15],
      [25, 40],
      [45, 60],
    ] as const) {
      const [part] = await provider.embed([plain(60).split(' ').slice(from, to).join(' ')], 'query');
      expect(dot(part?.vector)).toBeGreaterThan(0.3);
    }
  });
});
