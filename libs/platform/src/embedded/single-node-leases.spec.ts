import { singleNodeLeases } from './single-node-leases.ts';

describe('leases of a single process', () => {
  const faults: string[] = [];
  const leases = singleNodeLeases((error, about) => faults.push(`${about}: ${(error as Error).message}`));
  beforeEach(() => faults.splice(0));

  it('hold every share until the process leaves, which waits for running work', async () => {
    const held = new Set<number>();
    const membership = await leases.join('task', 3, async (share, signal) => {
      held.add(share);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      held.delete(share);
    });
    expect(membership.shares()).toEqual([0, 1, 2]);
    expect([...held].sort()).toEqual([0, 1, 2]);
    await membership.leave();
    expect([membership.shares(), [...held]]).toEqual([[], []]);
  });

  it('restart work that failed, and report the error', async () => {
    let calls = 0;
    let onSecondCall = (): void => undefined;
    const calledTwice = new Promise<void>((resolve) => (onSecondCall = resolve));
    await leases.join('task', 1, async (_, signal) => {
      calls++;
      if (calls === 1) throw new Error('broken');
      onSecondCall();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await calledTwice;
    expect(faults).toEqual(['share 0 of task: broken']);
    await leases.close();
    expect(calls).toBe(2);
  });
});
