import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LeaseMembers } from './partition-leases-fixture.ts';
import type { SingleProcessUnderTest } from './partition-leases-under-test.ts';
import { ShareHolder } from './share-holder.ts';

/** The part of the contract of `PartitionLeases` that concerns a process that is alone. */
export const processPromises = (current: () => LeaseMembers<SingleProcessUnderTest>): void => {
  it('assigns all shares to a single member, in order', async () => {
    const only = await current().join('task', 4);
    await current().spread(4, only);
    expect(only.membership.shares()).toEqual([0, 1, 2, 3]);
  });

  it('has released all shares when a member has left', async () => {
    const only = await current().join('task', 3, () => sleep(300));
    await current().spread(3, only);
    await only.membership.leave();
    expect([only.membership.shares(), only.holder.held.size]).toEqual([[], 0]);
  });

  it('calls hold again, after a pause, when it ends or fails', async () => {
    const shares = await current().under.open();
    const times: number[] = [];
    const membership = await shares.join('task', 1, async () => {
      times.push(Date.now());
      if (times.length === 1) throw new Error('failed');
    });
    await current().becomes('hold was called three times', () => times.length >= 3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20);
    await membership.leave();
    const calls = times.length;
    await sleep(300);
    expect(times).toHaveLength(calls);
  });

  it('lets a process join several tasks, and releases all shares when it is closed', async () => {
    const shares = await current().under.open();
    const [one, other] = [new ShareHolder(new Set(), []), new ShareHolder(new Set(), [])];
    const memberships = [await shares.join('one', 2, one.hold), await shares.join('other', 1, other.hold)];
    await current().becomes('all are held', () => one.held.size === 2 && other.held.size === 1);
    await shares.close();
    expect([one.held.size, other.held.size]).toEqual([0, 0]);
    expect(memberships.map((membership) => membership.shares())).toEqual([[], []]);
    await expect(shares.join('one', 2, one.hold)).rejects.toThrow('closed');
  });

  it('can be left twice', async () => {
    const { membership } = await current().join('task', 1);
    await Promise.all([membership.leave(), membership.leave()]);
    await membership.leave();
    expect(membership.shares()).toEqual([]);
  });

  it.each([
    ['', 1],
    ['task', 0],
    ['task', 1.5],
    ['task', Number.NaN],
  ])('rejects task %j with %p shares', async (task, count) => {
    const shares = await current().under.open();
    await expect(shares.join(task, count, async () => undefined)).rejects.toThrow(InvalidValue);
  });
};
