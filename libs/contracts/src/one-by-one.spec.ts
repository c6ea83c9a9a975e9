import { GENTLY, oneByOne } from './one-by-one.ts';

/** Notes each when it is done; the second fails. */
const work = () => {
  const seen: number[] = [];
  let underWay = 0;
  return {
    seen,
    on: async (one: number): Promise<void> => {
      expect(++underWay).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay--;
      seen.push(one);
      if (one === 2) throw new Error('this one fails');
    },
  };
};

describe('working on one after the other', () => {
  it.each([GENTLY, { atOnce: true }])('goes on after a failure, and stops when it is over (%j)', async (pace) => {
    const { seen, on } = work();
    await oneByOne([1, 2, 3, 4, 5], on, pace, () => seen.includes(4));
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('stops when it is told to', async () => {
    const { seen, on } = work();
    const stop = new AbortController();
    await oneByOne([1, 2, 3, 4, 5], async (one) => (one === 3 ? stop.abort() : undefined, on(one)), { atOnce: true, signal: stop.signal }, () => false);
    expect(seen).toEqual([1, 2, 3]);
  });
});
