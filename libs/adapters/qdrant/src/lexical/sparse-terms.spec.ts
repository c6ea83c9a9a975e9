import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { partitionSeal, type PartitionSeal } from '../partitions/partition-seal.ts';
import { documentVector, queryVector, rarity, termIndex as indexOf, weightIn } from './sparse-terms.ts';

let seal: PartitionSeal;
beforeAll(async () => {
  const scope = { tenant: tenantId('acme'), scope: vectorScope('deployment') };
  seal = await partitionSeal(new InMemoryScopeKeys(), { scope, generation: generationId('g1') });
});
const termIndex = (term: string) => indexOf(term, seal);

const shape = { k1: 1.2, b: 0.75, averageLength: 4 };
// Two artificial words whose indexes collide.
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
    const { indices, values } = documentVector(['apple', 'berry', 'apple'], shape, seal);
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
      seal,
    );
    expect(indices).toEqual([termIndex(a), termIndex('apple')].sort((x, y) => x - y));
    expect([...values].sort()).toEqual([3, 3]);
    for (const index of indices) expect(Number.isInteger(index) && index >= 0 && index < 2 ** 32).toBe(true);
  });
});

describe('rarity', () => {
  const idf = (holders: number, count: number) => Math.log(1 + (count - holders + 0.5) / (holders + 0.5));

  it('is the idf of BM25 by the factor of the server, whatever its last digits, and that of a word in no chunk without one', () => {
    for (const [holders, count] of [
      [1, 1],
      [3, 40],
      [40, 40],
      [7, 1_000_000],
    ] as const)
      for (const factor of [1 - 1e-7, 1, 1 + 1e-7].map((error) => error * idf(holders, count)))
        expect(rarity(count, factor)).toBe(rarity(count, idf(holders, count)));
    expect(rarity(40, idf(3, 40))).toBeCloseTo(idf(3, 40), 12);
    expect(rarity(40, undefined)).toBeCloseTo(idf(0, 40), 12);
    expect(rarity(40, NaN)).toBe(rarity(40, undefined));
  });

  it('needs the weight of an index in a stored vector, if it is there', () => {
    expect(weightIn({ terms: { indices: [3, 9], values: [0.5, 0.25] } }, 'terms', 9)).toBe(0.25);
    for (const vectors of [{ terms: { indices: [3], values: [0.5] } }, {}, undefined]) expect(weightIn(vectors, 'terms', 9)).toBe(0);
  });
});
