import { documentVector, queryVector, termIndex } from './sparse-terms.ts';

const shape = { k1: 1.2, b: 0.75, averageLength: 4 };
// Two of 20,000 artificial words whose indexes collide.
const collision = (): readonly [string, string] => {
  const seen = new Map<number, string>();
  for (let n = 0; ; n++) {
    const word = `w${n.toString(36)}`;
    const other = seen.get(termIndex(word));
    if (other !== undefined) return [other, word];
    seen.set(termIndex(word), word);
  }
};

describe('sparse vectors', () => {
  it('hold the BM25 weight of a term without its idf', () => {
    const { indices, values } = documentVector(['apple', 'berry', 'apple'], shape);
    const norm = 1.2 * (0.25 + (0.75 * 3) / 4);
    expect(values[indices.indexOf(termIndex('apple'))]).toBeCloseTo(2 / (2 + norm), 12);
    expect(values[indices.indexOf(termIndex('berry'))]).toBeCloseTo(1 / (1 + norm), 12);
  });

  it('name each index once, in order, also if two terms collide', () => {
    const [a, b] = collision();
    const { indices, values } = queryVector(
      new Map([
        [a, 1],
        [b, 2],
        ['apple', 3],
      ]),
    );
    expect(indices).toEqual([termIndex(a), termIndex('apple')].sort((x, y) => x - y));
    expect([...values].sort()).toEqual([3, 3]);
    for (const index of indices) expect(Number.isInteger(index) && index >= 0 && index < 2 ** 32).toBe(true);
  });
});
