import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { LeaseMembers, type Member } from './partition-leases-fixture.ts';
import { processPromises } from './partition-leases-process-promises.ts';
import type { PartitionLeasesUnderTest, SingleProcessUnderTest } from './partition-leases-under-test.ts';

/** The contract of `PartitionLeases`. */
export const describePartitionLeases = (name: string, open: () => Promise<PartitionLeasesUnderTest>): void =>
  describe(`${name} fulfils the contract of PartitionLeases`, () => {
    const current = withMembers(open);
    processPromises(current);
    movePromises(current);
  });

/** The contract of `PartitionLeases` for leases that no second process can join. */
export const describeSingleProcessLeases = (name: string, open: () => Promise<SingleProcessUnderTest>): void =>
  describe(`${name} fulfils the contract of PartitionLeases for a single process`, () => processPromises(withMembers(open)));

const withMembers = <Under extends SingleProcessUnderTest>(open: () => Promise<Under>): (() => LeaseMembers<Under>) => {
  let members: LeaseMembers<Under>;
  beforeEach(async () => {
    members = new LeaseMembers(await open());
  });
  afterEach(() => members.under.dispose());
  return () => members;
};

/** How shares move between processes. */
const movePromises = (current: () => LeaseMembers<PartitionLeasesUnderTest>): void => {
  it('distributes shares evenly over all members, and releases a share before it moves', async () => {
    const members = current();
    const first = await members.join('task', 5);
    await members.spread(5, first);
    const second = await members.join('task', 5);
    await members.spread(5, first, second);
    const third = await members.join('task', 5);
    await members.spread(5, first, second, third);
    members.expectNoOverlaps();
  });

  it('assigns the shares of a leaving member to the others after it released them', async () => {
    const members = current();
    const slow = await members.join('task', 3, () => sleep(300));
    await members.spread(3, slow);
    const other = await members.join('task', 3);
    await members.spread(3, slow, other);
    await slow.membership.leave();
    expect(slow.membership.shares()).toEqual([]);
    expect(slow.holder.held.size).toBe(0);
    await members.spread(3, other);
    members.expectNoOverlaps();
  });

  it('assigns the shares of a dead member to the others', async () => {
    const members = current();
    const [dying, other] = [await members.join('task', 3), await members.join('task', 3)];
    await members.spread(3, dying, other);
    dying.holder.forget();
    await members.under.crash(dying.shares);
    await members.spread(3, other);
    members.expectNoOverlaps();
  });

  it('elects one leader if there is one share, and the next one when it leaves', async () => {
    const members = current();
    const all = [await members.join('leader', 1), await members.join('leader', 1), await members.join('leader', 1)];
    await members.spread(1, ...all);
    const leader: Member | undefined = all.find(({ holder }) => holder.held.size === 1);
    if (leader === undefined) throw new Error('there is no leader');
    await leader.membership.leave();
    await members.spread(1, ...all.filter((member) => member !== leader));
    members.expectNoOverlaps();
  });

  it('separates tasks', async () => {
    const members = current();
    const [one, other] = [await members.join('one', 2), await members.join('other', 3)];
    members.separate();
    await members.spread(2, one);
    await members.spread(3, other);
  });

  it('rejects a count that differs from that of the other members', async () => {
    const members = current();
    await members.spread(2, await members.join('task', 2));
    const shares = await members.under.open();
    await expect(shares.join('task', 3, async () => undefined)).rejects.toThrow(InvalidValue);
  });
};
