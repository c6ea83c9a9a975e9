import fc from 'fast-check';
import { position, START } from '@palimpsest/knowledge/values';
import { latest, overwritable } from './ordered-writes.ts';
import { notAfter, positionIn, positionPayload } from './position-payload.ts';
import { batches } from './write-batches.ts';

type Clause = Readonly<{ key: string; range: Readonly<{ lt?: number; lte?: number; gte?: number }> }>;
const holds = ({ key, range: { lt, lte, gte } }: Clause, payload: Readonly<Record<string, number>>): boolean => {
  const value = payload[key] ?? NaN;
  return (lt === undefined || value < lt) && (lte === undefined || value <= lte) && (gte === undefined || value >= gte);
};
/** Evaluates `notAfter` like Qdrant: in float64. */
const isNotAfter = (stored: bigint, at: bigint): boolean => {
  const [higher, same] = notAfter(position(at)).should as [Clause, { must: Clause[] }];
  const payload = { ...positionPayload(position(stored)) };
  return holds(higher, payload) || same.must.every((clause) => holds(clause, payload));
};

const positions = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
);

describe('positions in a payload', () => {
  it('survive a round trip, and are START if there is none', () => {
    fc.assert(fc.property(positions, (at) => positionIn({ ...positionPayload(position(at)) }) === at));
    expect(positionIn(undefined)).toBe(START);
  });

  it('have the order of the positions, whatever their size', () =>
    fc.assert(fc.property(positions, positions, (stored, at) => isNotAfter(stored, at) === stored <= at)));
});

describe('several writes', () => {
  it('become one condition that names each point once', () => {
    const [one, two] = [position(1n), position(2n)];
    const { should } = overwritable([
      { id: 'a', at: two },
      { id: 'b', at: one },
      { id: 'c', at: two },
    ]);
    expect(should).toEqual([{ must: [{ has_id: ['a', 'c'] }, notAfter(two)] }, { must: [{ has_id: ['b'] }, notAfter(one)] }]);
  });

  it('at one position become the condition of that position', () => {
    expect(
      overwritable([
        { id: 'a', at: position(2n) },
        { id: 'b', at: position(2n) },
      ]),
    ).toEqual(notAfter(position(2n)));
  });

  it('to one chunk keep only the latest', () => {
    const writes = [
      [1, 'a', 3n],
      [2, 'a', 2n],
      [3, 'b', 1n],
      [4, 'a', 3n],
    ].map(([n, chunk, at]) => ({ n, chunk: String(chunk), at: position(at) }));
    expect(latest(writes, ({ chunk }) => chunk).map(({ n }) => n)).toEqual([4, 3]);
  });

  it('are split by count and by bytes, and nothing is left out', () => {
    const cut = (sizes: number[], points: number, bytes: number) => batches(sizes, (size) => size, { points, bytes });
    expect(cut([1, 1, 1, 1, 1], 2, 100)).toEqual([[1, 1], [1, 1], [1]]);
    expect(cut([5, 6, 20, 1], 10, 10)).toEqual([[5], [6], [20], [1]]);
    expect(cut([], 10, 10)).toEqual([]);
  });
});
