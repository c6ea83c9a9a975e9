import { gently } from './gently.ts';

describe('working gently', () => {
  it('takes one after the other, goes on after a failure, and stops when it is over', async () => {
    const seen: number[] = [];
    let underWay = 0;
    const work = async (one: number): Promise<void> => {
      expect(++underWay).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      underWay--;
      seen.push(one);
      if (one === 2) throw new Error('this one fails');
    };
    await gently([1, 2, 3, 4, 5], work, () => seen.includes(4));
    expect(seen).toEqual([1, 2, 3, 4]);
  });
});
