import { setTimeout as sleep } from 'node:timers/promises';
import { PartitionLocks } from './partition-locks.ts';

describe('PartitionLocks', () => {
  it('runs readers concurrently, and writers exclusively in the order of the calls', async () => {
    const locks = new PartitionLocks();
    const said: string[] = [];
    const work = (name: string, ms: number) => async () => {
      said.push(`${name} begins`);
      await sleep(ms);
      said.push(`${name} ends`);
    };
    await Promise.all([
      locks.read('p', work('read 1', 20)),
      locks.read('p', work('read 2', 10)),
      locks.write('p', work('write 1', 10)),
      locks.write('p', work('write 2', 1)),
      locks.read('p', work('read 3', 1)),
    ]);
    expect(said).toEqual([
      'read 1 begins',
      'read 2 begins',
      'read 2 ends',
      'read 1 ends',
      'write 1 begins',
      'write 1 ends',
      'write 2 begins',
      'write 2 ends',
      'read 3 begins',
      'read 3 ends',
    ]);
  });

  it('continues after a failure, and does not block other partitions', async () => {
    const locks = new PartitionLocks();
    const failing = locks.write('p', () => sleep(20).then(() => Promise.reject(new Error('no'))));
    let other = false;
    await locks.write('q', async () => void (other = true));
    expect(other).toBe(true);
    await expect(failing).rejects.toThrow('no');
    await expect(locks.read('p', async () => 7)).resolves.toBe(7);
  });
});
