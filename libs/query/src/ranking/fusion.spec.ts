import fc from 'fast-check';
import type { ChunkId } from '@palimpsest/knowledge';
import { fuseRrf, fuseSimple, fuseWeighted, type RankedLists, type Scored } from './fusion.ts';

const hit = (chunkId: string, score: number): Scored => ({ chunkId: chunkId as ChunkId, score });
const lists: RankedLists = { dense: [hit('a', 0.9), hit('b', 0.5), hit('c', 0.1)], lexical: [hit('c', 12), hit('d', 6)] };
const ids = (hits: readonly Scored[]): string[] => hits.map(({ chunkId }) => chunkId);

const anyList = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...'abcdefghij'), fc.double({ min: -1, max: 30, noNaN: true })), {
    selector: ([id]) => id,
    maxLength: 10,
  })
  .map((entries) => entries.map(([id, score]) => hit(id, score)).sort((one, other) => other.score - one.score));
const anyLists = fc.record({ dense: anyList, lexical: anyList });

describe('Reciprocal rank fusion', () => {
  it('adds 1 / (k + rank) over the lists and says so', () => {
    const [first] = fuseRrf(lists);
    expect(first).toMatchObject({ chunkId: 'c', score: 1 / 63 + 1 / 61, dense: { rank: 3, score: 0.1 }, lexical: { rank: 1, score: 12 } });
    expect(first?.explained()).toEqual({
      label: 'reciprocal rank fusion',
      value: 1 / 63 + 1 / 61,
      parts: [
        { label: '1 / (60 + dense rank 3)', value: 1 / 63 },
        { label: '1 / (60 + lexical rank 1)', value: 1 / 61 },
      ],
    });
  });

  it('breaks ties by chunk id, whichever list came first', () => {
    expect(ids(fuseRrf({ dense: [hit('z', 1)], lexical: [hit('m', 1)] }))).toEqual(['m', 'z']);
  });

  it('looks at ranks alone, whatever the scores are', () =>
    fc.assert(
      fc.property(anyLists, ({ dense, lexical }) => {
        const scaled = lexical.map(({ chunkId, score }) => hit(chunkId, score * 1000 + 7));
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

  it('takes equal scores for the best', () => {
    expect(fuseWeighted({ dense: [hit('a', 0.4)], lexical: [] })[0]?.score).toBe(0.7);
  });
});

describe('Simple fusion', () => {
  it('takes the better of both places', () => {
    expect(fuseSimple(lists).map(({ chunkId, score }) => [chunkId, Number(score.toFixed(3))])).toEqual([
      ['a', 1],
      ['c', 1],
      ['b', 0.5],
      ['d', 0],
    ]);
  });
});

describe.each([
  ['rrf', fuseRrf],
  ['weighted', fuseWeighted],
  ['simple', fuseSimple],
] as const)('Fusion by %s', (_, fuse) => {
  it('keeps each chunk of either list once, best first, whatever the lists', () =>
    fc.assert(
      fc.property(anyLists, (any) => {
        const fused = fuse(any);
        expect(new Set(ids(fused))).toEqual(new Set(ids([...any.dense, ...any.lexical])));
        expect(fused.length).toBe(new Set(ids(fused)).size);
        expect(fused.every(({ score }, at) => at === 0 || score <= (fused[at - 1]?.score ?? 0))).toBe(true);
      }),
    ));
  it('gives its score as the value of its explanation', () =>
    fc.assert(
      fc.property(anyLists, (any) =>
        fuse(any).every(({ score, explained }) => {
          const { value, parts = [] } = explained();
          return value === score && parts.length > 0;
        }),
      ),
    ));
});
