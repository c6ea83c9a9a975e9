import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const filled = (...owners: readonly string[]): FairQueue<string> => {
  const queue = new FairQueue<string>();
  owners.forEach((owner, i) => queue.add(owner, `${owner}${i}`));
  return queue;
};

describe('a fair queue', () => {
  it('serves its owners in turn, each in the order of coming', () => {
    expect(filled('a', 'a', 'a', 'b', 'b', 'c').take(9)).toEqual(['a0', 'b3', 'c5', 'a1', 'b4', 'a2']);
  });

  it('goes on with the turns where it was', () => {
    const queue = filled('a', 'a', 'a', 'b', 'b');
    expect([queue.take(1), queue.take(1), queue.take(2), queue.size, queue.take(2), queue.take(1)]).toEqual([['a0'], ['b3'], ['a1', 'b4'], 1, ['a2'], []]);
  });

  it('lets nobody who comes and goes pass those who wait', () => {
    const queue = filled('a', 'a', 'b', 'c');
    expect(queue.take(1)).toEqual(['a0']);
    for (const expected of ['b2', 'c3', 'a1']) {
      queue.add('d', 'd');
      expect(queue.take(1)).toEqual([expected]);
    }
    expect(queue.take(1)).toEqual(['d']);
  });

  it('names the first of each line', () => {
    const queue = filled('a', 'a', 'b');
    queue.take(1);
    expect([...queue.heads()].sort()).toEqual(['a1', 'b2']);
  });

  it('stays in order through lines that are longer than it keeps', () => {
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

  it('has before a newcomer at most one of each other owner', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), fc.nat(40), (owners, before) => {
        const queue = filled(...owners);
        queue.take(before);
        queue.add('new', 'new0');
        expect(queue.take(Infinity).indexOf('new0')).toBeLessThanOrEqual(3);
      }),
    ));
});
