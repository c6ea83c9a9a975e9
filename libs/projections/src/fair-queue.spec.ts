import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const filled = (...owners: readonly string[]): FairQueue<string> => {
  const queue = new FairQueue<string>();
  owners.forEach((owner, i) => queue.add(owner, `${owner}${i}`));
  return queue;
};

describe('A fair queue', () => {
  it('serves its owners in turn, each first in, first out', () => {
    expect(filled('a', 'a', 'a', 'b', 'b', 'c').take(9)).toEqual(['a0', 'b3', 'c5', 'a1', 'b4', 'a2']);
  });

  it('continues the round where the last call ended', () => {
    const queue = filled('a', 'a', 'a', 'b', 'b');
    expect([queue.take(1), queue.take(1), queue.take(2), queue.size, queue.take(2), queue.take(1)]).toEqual([
      ['a0'],
      ['b3'],
      ['a1', 'b4'],
      1,
      ['a2'],
      [],
    ]);
  });

  it('does not let an owner that leaves and returns overtake waiting owners', () => {
    const queue = filled('a', 'a', 'b', 'c');
    expect(queue.take(1)).toEqual(['a0']);
    for (const expected of ['b2', 'c3', 'a1']) {
      queue.add('d', 'd');
      expect(queue.take(1)).toEqual([expected]);
    }
    expect(queue.take(1)).toEqual(['d']);
  });

  it('returns the first entry of each owner', () => {
    const queue = filled('a', 'a', 'b');
    queue.take(1);
    expect([...queue.heads()].sort()).toEqual(['a1', 'b2']);
  });

  it('serves as many entries per turn as the weight of the owner, also when calls split a turn', () => {
    const weighted = (): FairQueue<string> => {
      const queue = new FairQueue<string>((owner) => (owner === 'a' ? 4 : 1));
      for (let i = 0; i < 9; i++) for (const owner of ['b', 'a']) if (owner === 'a' || i < 3) queue.add(owner, `${owner}${i}`);
      return queue;
    };
    const order = ['b0', 'a0', 'a1', 'a2', 'a3', 'b1', 'a4', 'a5', 'a6', 'a7', 'b2', 'a8'];
    expect(weighted().take(Infinity)).toEqual(order);
    const queue = weighted();
    expect(Array.from({ length: 12 }, () => queue.take(1)).flat()).toEqual(order);
    expect(queue.size).toBe(0);
  });

  it('serves busy owners in proportion to their weights, for any sizes of calls', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 }),
        (ofA, ofB, pieces) => {
          const queue = new FairQueue<string>((owner) => (owner === 'a' ? ofA : ofB));
          const rounds = 5;
          for (let i = 0; i < rounds * 10; i++) for (const owner of ['a', 'b']) queue.add(owner, owner);
          const taken: string[] = [];
          for (let i = 0; taken.length < rounds * (ofA + ofB); i++)
            taken.push(...queue.take(Math.min(pieces[i % pieces.length] ?? 1, rounds * (ofA + ofB) - taken.length)));
          expect(taken.filter((owner) => owner === 'a')).toHaveLength(rounds * ofA);
        },
      ),
    ));

  it('keeps the order in lines that are long enough to be compacted', () => {
    const queue = new FairQueue<number>();
    const taken: number[] = [];
    for (let i = 0; i < 20_000; i++) {
      queue.add('a', i);
      if (i % 3 > 0) taken.push(...queue.take(1));
    }
    taken.push(...queue.take(Infinity));
    expect(taken).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
    expect(queue.size).toBe(0);
  });

  it('serves at most one entry of each other owner before a newcomer', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), fc.nat(40), (owners, before) => {
        const queue = filled(...owners);
        queue.take(before);
        queue.add('new', 'new0');
        expect(queue.take(Infinity).indexOf('new0')).toBeLessThanOrEqual(3);
      }),
    ));
});
