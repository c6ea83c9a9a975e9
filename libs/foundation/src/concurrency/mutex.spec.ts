import { Mutex } from './mutex.ts';
import { pause } from './pause.ts';

describe('A mutex', () => {
  it('runs one piece of work at a time, in the order of the calls', async () => {
    const mutex = new Mutex();
    const seen: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = mutex.run(async () => {
      seen.push('first begins');
      await promise;
      seen.push('first ends');
      return 1;
    });
    const second = mutex.run(async () => seen.push('second'));
    await pause(1);
    expect(seen).toEqual(['first begins']);
    resolve();
    await expect(first).resolves.toBe(1);
    await second;
    expect(seen).toEqual(['first begins', 'first ends', 'second']);
  });

  it('continues after a failure, which rejects only its own call', async () => {
    const mutex = new Mutex();
    const failed = mutex.run(() => Promise.reject(new Error('failed')));
    const next = mutex.run(async () => 2);
    await expect(failed).rejects.toThrow('failed');
    await expect(next).resolves.toBe(2);
  });

  it('is idle when all work requested so far has ended, also if it failed', async () => {
    const mutex = new Mutex();
    let ended = 0;
    const failed = mutex.run(async () => {
      ended++;
      throw new Error('failed');
    });
    void mutex.run(async () => void ended++);
    await Promise.all([mutex.idle(), expect(failed).rejects.toThrow('failed')]);
    expect(ended).toBe(2);
  });
});
