import { InvalidValue } from '@palimpsest/knowledge/errors';
import { describeSingleProcessLeases } from '@palimpsest/test-kit';
import { singleNodeLeases } from './single-node-leases.ts';

describeSingleProcessLeases('singleNodeLeases', async () => {
  const leases = singleNodeLeases(() => undefined);
  return { open: async () => leases, patienceMs: 5_000, dispose: () => leases.close() };
});

describe('leases of a single process', () => {
  const faults: string[] = [];
  const leases = singleNodeLeases((error, about) => faults.push(`${about}: ${(error as Error).message}`));
  const untilAborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

  it('have one member for each task at a time', async () => {
    const join = () => leases.join('once', 2, async (_, signal) => void (await untilAborted(signal)));
    const membership = await join();
    // It holds every share at once.
    expect(membership.shares()).toEqual([0, 1]);
    await expect(join()).rejects.toThrow(InvalidValue);
    await membership.leave();
    const again = await join();
    await membership.leave();
    await expect(join()).rejects.toThrow(InvalidValue);
    expect(again.shares()).toEqual([0, 1]);
    await again.leave();
  });

  it('restart work that failed, and report the error', async () => {
    let calls = 0;
    let onSecondCall = (): void => undefined;
    const calledTwice = new Promise<void>((resolve) => (onSecondCall = resolve));
    await leases.join('task', 1, async (_, signal) => {
      calls++;
      if (calls === 1) throw new Error('broken');
      onSecondCall();
      await untilAborted(signal);
    });
    await calledTwice;
    expect(faults).toEqual(['share 0 of task: broken']);
    await leases.close();
    expect(calls).toBe(2);
  });
});
