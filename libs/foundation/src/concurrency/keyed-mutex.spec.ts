import { KeyedMutex } from './keyed-mutex.ts';

describe('A mutex per key', () => {
  it('runs the work of one key in order, also after a failure, and other keys concurrently', async () => {
    const mutex = new KeyedMutex();
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = mutex.run('a', async () => {
      await promise;
      done.push('a1');
      throw new Error('failed');
    });
    const second = mutex.run('a', async () => void done.push('a2'));
    await mutex.run('b', async () => void done.push('b1'));
    expect([mutex.isBusy('a'), mutex.isBusy('b')]).toEqual([true, false]);
    resolve();
    await expect(first).rejects.toThrow('failed');
    await second;
    await mutex.idle();
    expect([done, mutex.isBusy('a')]).toEqual([['b1', 'a1', 'a2'], false]);
  });
});
