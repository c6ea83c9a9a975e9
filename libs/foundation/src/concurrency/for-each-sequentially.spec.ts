import { BACKGROUND, forEachSequentially } from './for-each-sequentially.ts';
import { pause } from './pause.ts';

/** Records each completed item; the second one fails. */
const work = () => {
  const seen: number[] = [];
  let underWay = 0;
  return {
    seen,
    on: async (one: number): Promise<void> => {
      expect(++underWay).toBe(1);
      await pause(1);
      underWay--;
      seen.push(one);
      if (one === 2) throw new Error('this one fails');
    },
  };
};

describe('sequential processing', () => {
  it.each([BACKGROUND, { urgent: true }])('continues after a failure, and stops when it is over (%j)', async (pace) => {
    const { seen, on } = work();
    await forEachSequentially([1, 2, 3, 4, 5], on, pace, () => seen.includes(4));
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('stops when its signal aborts', async () => {
    const { seen, on } = work();
    const stop = new AbortController();
    await forEachSequentially(
      [1, 2, 3, 4, 5],
      async (one) => (one === 3 ? stop.abort() : undefined, on(one)),
      { urgent: true, signal: stop.signal },
      () => false,
    );
    expect(seen).toEqual([1, 2, 3]);
  });
});
