import { soleShares } from './sole-shares.ts';

describe('shares of a process that is alone', () => {
  const faults: string[] = [];
  const shares = soleShares((error, about) => faults.push(`${about}: ${(error as Error).message}`));
  beforeEach(() => faults.splice(0));

  it('are all its own until it leaves, which waits for what holds them', async () => {
    const held = new Set<number>();
    const part = await shares.takePart('task', 3, async (share, signal) => {
      held.add(share);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      held.delete(share);
    });
    expect(part.shares()).toEqual([0, 1, 2]);
    expect([...held].sort()).toEqual([0, 1, 2]);
    await part.leave();
    expect([part.shares(), [...held]]).toEqual([[], []]);
  });

  it('are held again when what held them failed, and the fault is told', async () => {
    let calls = 0;
    let again = (): void => undefined;
    const twice = new Promise<void>((resolve) => (again = resolve));
    await shares.takePart('task', 1, async (_, signal) => {
      calls++;
      if (calls === 1) throw new Error('broken');
      again();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await twice;
    expect(faults).toEqual(['share 0 of task: broken']);
    await shares.close();
    expect(calls).toBe(2);
  });
});
