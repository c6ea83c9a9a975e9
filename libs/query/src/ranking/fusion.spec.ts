import fc from 'fast-check';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT, fuseRrf, fuseSimple, fuseStandardScores, fuseWeighted } from './fusion.ts';
import type { Candidate, RankedList, RankedLists, Scored } from './ranked-list.ts';

const hit = (chunkId: string, score: number, standard = score): Candidate => ({ chunkId: chunkId as ChunkId, score, standard });
const list = (hits: readonly Candidate[], absent = 0): RankedList => ({ hits, absent });
const lists: RankedLists = { dense: list([hit('a', 0.9), hit('b', 0.5), hit('c', 0.1)]), lexical: list([hit('c', 12), hit('d', 6)]) };
const ids = (hits: readonly Scored[]): string[] => hits.map(({ chunkId }) => chunkId);

const anyList = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...'abcdefghij'), fc.double({ min: -1, max: 30, noNaN: true })), {
    selector: ([id]) => id,
    maxLength: 10,
  })
  .map((entries) => list(entries.map(([id, score]) => hit(id, score)).sort((one, other) => other.score - one.score)));
const anyLists = fc.record({ dense: anyList, lexical: anyList });

describe('Reciprocal rank fusion', () => {
  it('adds 1 / (k + rank) over the lists and explains it', () => {
    const [first] = fuseRrf(lists);
    expect(first).toMatchObject({
      chunkId: 'c',
      score: 1 / 63 + 1 / 61,
      stages: { dense: { rank: 3, score: 0.1 }, lexical: { rank: 1, score: 12 } },
    });
    expect(first?.explained()).toEqual({
      label: 'reciprocal rank fusion',
      value: 1 / 63 + 1 / 61,
      parts: [
        { label: '1 / (60 + dense rank 3)', value: 1 / 63 },
        { label: '1 / (60 + lexical rank 1)', value: 1 / 61 },
      ],
    });
  });

  it('breaks ties by chunk id, regardless of the order of the lists', () => {
    expect(ids(fuseRrf({ dense: list([hit('z', 1)]), lexical: list([hit('m', 1)]) }))).toEqual(['m', 'z']);
  });

  it('depends only on ranks, not on scores', () =>
    fc.assert(
      fc.property(anyLists, ({ dense, lexical }) => {
        const scaled = list(lexical.hits.map(({ chunkId, score }) => hit(chunkId, score * 1000 + 7)));
        expect(ids(fuseRrf({ dense, lexical: scaled }))).toEqual(ids(fuseRrf({ dense, lexical })));
      }),
    ));
});

describe('Weighted fusion', () => {
  it('weighs normalised scores 70 to 30', () => {
    const [first, second, third, fourth] = fuseWeighted(lists);
    expect([first, second, third, fourth].map((found) => [found?.chunkId, Number(found?.score.toFixed(3))])).toEqual([
      ['a', 0.7],
      ['b', 0.35],
      ['c', 0.3],
      ['d', 0],
    ]);
    expect(second?.explained().parts).toEqual([{ label: '0.7 × dense 0.5 (rank 2, score 0.5)', value: 0.35 }]);
  });

  it('treats equal scores as the best', () => {
    expect(fuseWeighted({ dense: list([hit('a', 0.4)]), lexical: list([]) })[0]?.score).toBe(0.7);
  });
});

describe('Simple fusion', () => {
  it('takes the better of both scores', () => {
    expect(fuseSimple(lists).map(({ chunkId, score }) => [chunkId, Number(score.toFixed(3))])).toEqual([
      ['a', 1],
      ['c', 1],
      ['b', 0.5],
      ['d', 0],
    ]);
  });
});

describe('Fusion by standard scores', () => {
  it('adds 0.6 of the standard score of the cosine and 0.4 of that of the words, and explains it', () => {
    const fused = fuseStandardScores({ dense: list([hit('a', 0.5, 3), hit('b', 0.2, 1)], 0.5), lexical: list([hit('b', 7, 10)], -0.25) });
    expect(fused.map(({ chunkId, score }) => [chunkId, Number(score.toFixed(3))])).toEqual([
      ['b', 4.6],
      ['a', 1.7],
    ]);
    expect(fused[1]?.explained()).toEqual({
      label: 'weighted sum of standard scores',
      value: fused[1]?.score,
      parts: [
        { label: '0.6 × dense 3 (rank 1, score 0.5)', value: DENSE_WEIGHT * 3 },
        { label: '0.4 × lexical -0.25 (not among the candidates)', value: (1 - DENSE_WEIGHT) * -0.25 },
      ],
    });
  });

  it('ranks a chunk with a rare word first, where rank fusion would not', () => {
    // Of 2,000 chunks: BM25 has a mean of 0.6 and a deviation of 0.9, the cosine of 0.05 and 0.09.
    const lexical = (id: string, score: number) => hit(id, score, (score - 0.6) / 0.9);
    const dense = (id: string, cosine: number) => hit(id, cosine, (cosine - 0.05) / 0.09);
    const searched: RankedLists = {
      dense: list([dense('near', 0.52), dense('also', 0.5), dense('third', 0.44)], (0.3 - 0.05) / 0.09),
      lexical: list([lexical('rare', 14.2), lexical('near', 6.2), lexical('also', 6.1)], -0.6 / 0.9),
    };
    expect(ids(fuseStandardScores(searched))[0]).toBe('rare');
    expect(ids(fuseRrf(searched))[0]).toBe('near');
  });

  it('lets words decide when the model does not know the language', () => {
    const searched: RankedLists = {
      dense: list([hit('near', 0.5, 5), hit('worded', 0.1, 0)]),
      lexical: list([hit('worded', 4, 4), hit('near', 1, 0)]),
    };
    expect(ids(fuseStandardScores(searched))[0]).toBe('near');
    expect(ids(fuseStandardScores(searched, () => FOREIGN_DENSE_WEIGHT))[0]).toBe('worded');
  });
});

describe.each([
  ['zscore', (any: RankedLists) => fuseStandardScores(any)],
  ['rrf', fuseRrf],
  ['weighted', fuseWeighted],
  ['simple', fuseSimple],
] as const)('Fusion by %s', (_, fuse) => {
  it('keeps each chunk of either list once, best first, for any lists', () =>
    fc.assert(
      fc.property(anyLists, (any) => {
        const fused = fuse(any);
        expect(new Set(ids(fused))).toEqual(new Set(ids([...any.dense.hits, ...any.lexical.hits])));
        expect(fused.length).toBe(new Set(ids(fused)).size);
        expect(fused.every(({ score }, at) => at === 0 || score <= (fused[at - 1]?.score ?? 0))).toBe(true);
      }),
    ));
  it('has the same value in score and explanation', () =>
    fc.assert(
      fc.property(anyLists, (any) =>
        fuse(any).every(({ score, explained }) => {
          const { value, parts = [] } = explained();
          return value === score && parts.length > 0;
        }),
      ),
    ));
});
