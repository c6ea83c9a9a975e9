import { eachInTurn } from './each-in-turn.ts';

describe('eachInTurn', () => {
  it('processes the items after one that fails, then reports the first failure', async () => {
    const done: number[] = [];
    const work = async (n: number): Promise<void> => {
      if (n % 2 === 0) throw new Error(`no ${n}`);
      done.push(n);
    };
    await expect(eachInTurn([1, 2, 3, 4, 5], work, () => false)).rejects.toThrow('no 2');
    expect(done).toEqual([1, 3, 5]);
  });

  it('stops when it is over', async () => {
    const done: number[] = [];
    await eachInTurn(
      [1, 2, 3],
      async (n) => void done.push(n),
      () => done.length === 2,
    );
    expect(done).toEqual([1, 2]);
  });
});
