import fc from 'fast-check';
import type { ChunkId } from '@palimpsest/knowledge';
import { cosineSimilarity, diversify, wordSimilarity } from './diversify.ts';

const hit = (id: string, score: number, text = id) => ({ chunkId: id as ChunkId, score, text });
const similarity = wordSimilarity();
const byText = (one: { text: string }, other: { text: string }): number => similarity(one.text, other.text);
const hits = [
  hit('a', 0.9, 'install on linux'),
  hit('b', 0.89, 'install on linux now'),
  hit('c', 0.6, 'remove it again'),
  hit('d', 0.1, 'other things'),
];

describe('Diversifying', () => {
  it('ranks a different hit above a near copy of the best one', () => {
    expect(diversify(hits, { k: 3, lambda: 0.5, similarity: byText }).map(({ chunkId }) => chunkId)).toEqual(['a', 'c', 'b']);
  });

  it('keeps the order by score when only relevance counts', () => {
    expect(diversify(hits, { k: 4, lambda: 1, similarity: byText }).map(({ chunkId }) => chunkId)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('starts with the best hit, repeats none, and does not depend on the input order', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.record({
            id: fc.string({ minLength: 1, maxLength: 3 }),
            score: fc.integer({ min: 0, max: 5 }),
            text: fc.constantFrom('x y', 'x z', 'q'),
          }),
          { selector: ({ id }) => id },
        ),
        fc.integer({ min: 0, max: 8 }),
        (entries, k) => {
          const any = entries.map(({ id, score, text }) => hit(id, score, text));
          const picked = diversify(any, { k, similarity: byText });
          expect(picked.length).toBe(Math.min(k, any.length));
          expect(new Set(picked).size).toBe(picked.length);
          expect(diversify([...any].reverse(), { k, similarity: byText })).toEqual(picked);
          if (picked[0] !== undefined) expect(picked[0].score).toBe(Math.max(...any.map(({ score }) => score)));
        },
      ),
    ));

  it('compares unit vectors by their cosine, never below 0', () => {
    expect(cosineSimilarity(Float32Array.of(1, 0), Float32Array.of(1, 0))).toBe(1);
    expect(cosineSimilarity(Float32Array.of(0.6, 0.8), Float32Array.of(1, 0))).toBeCloseTo(0.6);
    expect(cosineSimilarity(Float32Array.of(1, 0), Float32Array.of(-1, 0))).toBe(0);
  });

  it('compares texts by their shared words', () => {
    expect(similarity('one two three', 'Two three four')).toBe(0.5);
    expect(similarity('', '')).toBe(1);
  });
});
