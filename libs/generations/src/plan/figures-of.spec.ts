import { chunkId, documentId, knowledgeBaseId } from '@palimpsest/knowledge/values';
import type { CountedTexts } from './count-texts.ts';
import { textTokens, timeOf, tokensOf } from './figures-of.ts';
import { totalsOf } from './totals.ts';

const read = (...tokens: readonly number[]): CountedTexts['read'] =>
  tokens.map((each, n) => ({
    chunkId: chunkId(String(n).padStart(32, '0')),
    documentId: documentId('d'.repeat(32)),
    knowledgeBase: knowledgeBaseId('handbook'),
    tokens: each,
  }));
const counted = (chunks: number, ...tokens: readonly number[]): CountedTexts => ({ chunks, read: read(...tokens), texts: [] });

describe('the tokens of a plan', () => {
  it('are exact if every text was counted with the tokenizer of the model', () =>
    expect(tokensOf(textTokens(counted(3, 10, 20, 30)), 'wordpiece', 1, undefined)).toEqual({
      ...{ texts: 60, embedded: 60, method: 'counted', tokenizer: 'wordpiece', read: 3 },
    }));

  it('are scaled from a sample, with the half-width of the 95 % interval', () => {
    const planned = tokensOf(textTokens(counted(400, 90, 110, 90, 110)), 'wordpiece', 1, undefined);
    expect(planned).toMatchObject({ texts: 40_000, method: 'sampled', read: 4 });
    // s² = 133.33, (s² / 4)(1 - 4 / 400) = 33, 1.96 · √33 / 100
    expect(planned.error).toBeCloseTo(0.1126, 4);
  });

  it('to embed leave out reusable vectors, and have the overlaps and special tokens of the embedded sample', () =>
    expect(tokensOf(textTokens(counted(2, 50, 50)), 'wordpiece', 0.5, { tokens: 120, counted: 100 })).toMatchObject({
      texts: 100,
      embedded: 60,
    }));

  it('are an estimate in the unit of the model if only the model can count them', () =>
    expect(tokensOf(textTokens(counted(2, 50, 50)), 'estimate', 1, { tokens: 80, counted: 100 })).toMatchObject({
      ...{ texts: 80, embedded: 80, method: 'estimated' },
    }));

  it('of an empty scope are none', () =>
    expect(tokensOf(textTokens(counted(0)), 'wordpiece', 1, undefined)).toMatchObject({ texts: 0, method: 'counted' }));
});

describe('the time of a plan', () => {
  const sample = { chunks: 50, refused: 1, vectors: 100, seconds: 5, tokens: 1, counted: 1 };

  it('follows the speed of the sample', () =>
    expect(timeOf(sample, 1_000, 50_000, {})).toEqual({
      ...{ seconds: 100, sampledChunks: 50, sampleSeconds: 5, refused: 1, limitedBy: 'model' },
    }));

  it('is that of the limit that is reached first', () => {
    expect(timeOf(sample, 1_000, 50_000, { tokensPerMinute: 5_000 })).toMatchObject({ seconds: 600, limitedBy: 'tokensPerMinute' });
    // 2,000 texts in requests of 10.
    expect(timeOf(sample, 1_000, 50_000, { requestsPerMinute: 20, batchSize: 10 })).toMatchObject({
      seconds: 600,
      limitedBy: 'requestsPerMinute',
    });
  });
});

describe('the sum of several plans', () => {
  const figures = (cost?: number) => ({
    ...{ documents: 1, chunks: 2, reusable: { chunks: 1, exact: true }, bytes: { vectors: 8, memory: 10, disk: 20 } },
    tokens: { texts: 9, embedded: 5, method: 'counted' as const, tokenizer: 'w', read: 2 },
    ...(cost === undefined ? {} : { cost }),
  });

  it('adds what all of them have', () =>
    expect(totalsOf([figures(1), figures(2)])).toEqual({
      ...{ scopes: 2, documents: 2, chunks: 4, tokens: 10, reusable: 2, cost: 3, bytes: { vectors: 16, memory: 20, disk: 40 } },
    }));

  it('leaves out what one of them does not have, since the sum would be too low', () =>
    expect(totalsOf([figures(1), figures()])).not.toHaveProperty('cost'));
});
