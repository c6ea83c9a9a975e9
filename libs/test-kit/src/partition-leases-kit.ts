import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import { becomes, ShareHolder } from './share-holder.ts';
import type { PartitionLeasesUnderTest } from './partition-leases-under-test.ts';

export const describePartitionLeases = (name: string, open: () => Promise<PartitionLeasesUnderTest>): void =>
  describe(`${name} fulfils the contract of PartitionLeases`, () => {
    let under: PartitionLeasesUnderTest;
    let holders: Set<ShareHolder>;
    let overlaps: string[];
    beforeEach(async () => {
      under = await open();
      holders = new Set();
      overlaps = [];
    });
    afterEach(() => under.dispose());

    type Member = Readonly<{ shares: PartitionLeases; holder: ShareHolder; membership: LeaseMembership }>;
    const join = async (task: string, count: number, release?: () => Promise<void>): Promise<Member> => {
      const shares = await under.open();
      const holder = new ShareHolder(holders, overlaps, release);
      return { shares, holder, membership: await shares.join(task, count, holder.hold) };
    };
    /** Waits until every share is held, only by these members and as evenly as possible. */
    const spread = (count: number, ...members: readonly Member[]): Promise<void> =>
      becomes(
        `${members.length} members hold ${count} shares evenly`,
        () => {
          const sizes = members.map(({ membership }) => membership.shares().length);
          const agree = members.every(
            ({ membership, holder }) =>
              membership.shares().every((share) => holder.held.has(share)) && holder.held.size === membership.shares().length,
          );
          const all = new Set(members.flatMap(({ membership }) => membership.shares()));
          return agree && all.size === count && sizes.reduce((a, b) => a + b, 0) === count && Math.max(...sizes) - Math.min(...sizes) <= 1;
        },
        under.patienceMs,
      );

    it('assigns all shares to a single member, in order', async () => {
      const only = await join('task', 4);
      await spread(4, only);
      expect(only.membership.shares()).toEqual([0, 1, 2, 3]);
    });

    it('distributes shares evenly over all members, and releases a share before it moves', async () => {
      const first = await join('task', 5);
      await spread(5, first);
      const second = await join('task', 5);
      await spread(5, first, second);
      const third = await join('task', 5);
      await spread(5, first, second, third);
      expect(overlaps).toEqual([]);
    });

    it('assigns the shares of a leaving member to the others after it released them', async () => {
      const slow = await join('task', 3, () => sleep(300));
      await spread(3, slow);
      const other = await join('task', 3);
      await spread(3, slow, other);
      await slow.membership.leave();
      expect(slow.membership.shares()).toEqual([]);
      expect(slow.holder.held.size).toBe(0);
      await spread(3, other);
      expect(overlaps).toEqual([]);
    });

    it('assigns the shares of a dead member to the others', async () => {
      const [dying, other] = [await join('task', 3), await join('task', 3)];
      await spread(3, dying, other);
      dying.holder.forget();
      await under.crash(dying.shares);
      await spread(3, other);
      expect(overlaps).toEqual([]);
    });

    it('elects one leader if there is one share, and the next one when it leaves', async () => {
      const members = [await join('leader', 1), await join('leader', 1), await join('leader', 1)];
      const leaders = (): readonly Member[] => members.filter(({ holder }) => holder.held.size === 1);
      await spread(1, ...members);
      const [leader] = leaders();
      if (leader === undefined) throw new Error('there is no leader');
      await leader.membership.leave();
      const rest = members.filter((member) => member !== leader);
      await spread(1, ...rest);
      expect(overlaps).toEqual([]);
    });

    it('calls hold again, after a pause, when it ends or fails', async () => {
      const shares = await under.open();
      const times: number[] = [];
      const membership = await shares.join('task', 1, async () => {
        times.push(Date.now());
        if (times.length === 1) throw new Error('failed');
      });
      await becomes('hold was called three times', () => times.length >= 3, under.patienceMs);
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20);
      await membership.leave();
      const calls = times.length;
      await sleep(300);
      expect(times).toHaveLength(calls);
    });

    it('separates tasks', async () => {
      const [one, other] = [await join('one', 2), await join('other', 3)];
      holders.clear();
      await spread(2, one);
      await spread(3, other);
    });

    it('lets a process join several tasks, and releases all shares when it is closed', async () => {
      const shares = await under.open();
      const [one, other] = [new ShareHolder(new Set(), overlaps), new ShareHolder(new Set(), overlaps)];
      const memberships = [await shares.join('one', 2, one.hold), await shares.join('other', 1, other.hold)];
      await becomes('all are held', () => one.held.size === 2 && other.held.size === 1, under.patienceMs);
      await shares.close();
      expect([one.held.size, other.held.size]).toEqual([0, 0]);
      expect(memberships.map((membership) => membership.shares())).toEqual([[], []]);
      await expect(shares.join('one', 2, one.hold)).rejects.toThrow('closed');
    });

    it('can be left twice', async () => {
      const { membership } = await join('task', 1);
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
      const shares = await under.open();
      await expect(shares.join(task, count, async () => undefined)).rejects.toThrow(InvalidValue);
    });

    it('rejects a count that differs from that of the other members', async () => {
      const first = await join('task', 2);
      await spread(2, first);
      const shares = await under.open();
      await expect(shares.join('task', 3, async () => undefined)).rejects.toThrow(InvalidValue);
    });
  });
