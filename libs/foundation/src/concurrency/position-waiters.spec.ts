import { PositionWaiters } from './position-waiters.ts';

const NEVER_MS = 60_000;

describe('Callers that wait for a position', () => {
  it('continue when it is reached, and not before', async () => {
    const waiters = new PositionWaiters();
    const [near, far] = [waiters.wait(5n, NEVER_MS), waiters.wait(6n, NEVER_MS)];
    waiters.reached(5n);
    await expect(near).resolves.toBe(true);
    expect(waiters.count).toBe(1);
    waiters.giveUp();
    await expect(far).resolves.toBe(false);
  });

  it('are removed as soon as they cancel', async () => {
    const waiters = new PositionWaiters();
    const caller = new AbortController();
    const waiting = waiters.wait(5n, NEVER_MS, caller.signal);
    expect(waiters.count).toBe(1);
    caller.abort();
    await expect(waiting).resolves.toBe(false);
    expect(waiters.count).toBe(0);
  });

  it('do not wait if they have already cancelled', async () => {
    await expect(new PositionWaiters().wait(5n, NEVER_MS, AbortSignal.abort())).resolves.toBe(false);
  });
});
