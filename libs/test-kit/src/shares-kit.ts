import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidValue, type Participation, type Shares } from '@palimpsest/knowledge';
import { becomes, ShareHolder } from './share-holder.ts';
import type { SharesUnderTest } from './shares-under-test.ts';

export const describeShares = (name: string, open: () => Promise<SharesUnderTest>): void =>
  describe(`${name} keeps the promises of Shares`, () => {
    let under: SharesUnderTest;
    let holders: Set<ShareHolder>;
    let overlaps: string[];
    beforeEach(async () => {
      under = await open();
      holders = new Set();
      overlaps = [];
    });
    afterEach(() => under.dispose());

    type Member = Readonly<{ shares: Shares; holder: ShareHolder; part: Participation }>;
    const join = async (task: string, count: number, letGo?: () => Promise<void>): Promise<Member> => {
      const shares = await under.open();
      const holder = new ShareHolder(holders, overlaps, letGo);
      return { shares, holder, part: await shares.takePart(task, count, holder.hold) };
    };
    /** Until every share is held, by these alone, as evenly as can be. */
    const spread = (count: number, ...members: readonly Member[]): Promise<void> =>
      becomes(
        `${members.length} members share ${count} evenly`,
        () => {
          const sizes = members.map(({ part }) => part.shares().length);
          const agree = members.every(({ part, holder }) => part.shares().every((share) => holder.held.has(share)) && holder.held.size === part.shares().length);
          const all = new Set(members.flatMap(({ part }) => part.shares()));
          return agree && all.size === count && sizes.reduce((a, b) => a + b, 0) === count && Math.max(...sizes) - Math.min(...sizes) <= 1;
        },
        under.patienceMs,
      );

    it('gives all shares to the one who takes part, in order', async () => {
      const only = await join('task', 4);
      await spread(4, only);
      expect(only.part.shares()).toEqual([0, 1, 2, 3]);
    });

    it('spreads them evenly over all who take part, and lets go of a share before it moves', async () => {
      const first = await join('task', 5);
      await spread(5, first);
      const second = await join('task', 5);
      await spread(5, first, second);
      const third = await join('task', 5);
      await spread(5, first, second, third);
      expect(overlaps).toEqual([]);
    });

    it('gives the shares of who leaves to the others, when they are let go of', async () => {
      const slow = await join('task', 3, () => sleep(300));
      await spread(3, slow);
      const other = await join('task', 3);
      await spread(3, slow, other);
      await slow.part.leave();
      expect(slow.part.shares()).toEqual([]);
      expect(slow.holder.held.size).toBe(0);
      await spread(3, other);
      expect(overlaps).toEqual([]);
    });

    it('gives the shares of who dies to the others', async () => {
      const [dying, other] = [await join('task', 3), await join('task', 3)];
      await spread(3, dying, other);
      dying.holder.forget();
      await under.crash(dying.shares);
      await spread(3, other);
      expect(overlaps).toEqual([]);
    });

    it('elects one leader where there is one share, and the next one when that leaves', async () => {
      const members = [await join('leader', 1), await join('leader', 1), await join('leader', 1)];
      const leaders = (): readonly Member[] => members.filter(({ holder }) => holder.held.size === 1);
      await spread(1, ...members);
      const [leader] = leaders();
      if (leader === undefined) throw new Error('nobody leads');
      await leader.part.leave();
      const rest = members.filter((member) => member !== leader);
      await spread(1, ...rest);
      expect(overlaps).toEqual([]);
    });

    it('calls hold anew, after a pause, when it ends or fails', async () => {
      const shares = await under.open();
      const times: number[] = [];
      const part = await shares.takePart('task', 1, async () => {
        times.push(Date.now());
        if (times.length === 1) throw new Error('failed');
      });
      await becomes('hold was called three times', () => times.length >= 3, under.patienceMs);
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20);
      await part.leave();
      const calls = times.length;
      await sleep(300);
      expect(times).toHaveLength(calls);
    });

    it('keeps tasks apart', async () => {
      const [one, other] = [await join('one', 2), await join('other', 3)];
      holders.clear();
      await spread(2, one);
      await spread(3, other);
    });

    it('lets the same process take part in several tasks, and gives all up when it is closed', async () => {
      const shares = await under.open();
      const [one, other] = [new ShareHolder(new Set(), overlaps), new ShareHolder(new Set(), overlaps)];
      const parts = [await shares.takePart('one', 2, one.hold), await shares.takePart('other', 1, other.hold)];
      await becomes('all are held', () => one.held.size === 2 && other.held.size === 1, under.patienceMs);
      await shares.close();
      expect([one.held.size, other.held.size]).toEqual([0, 0]);
      expect(parts.map((part) => part.shares())).toEqual([[], []]);
      await expect(shares.takePart('one', 2, one.hold)).rejects.toThrow('closed');
    });

    it('may be left twice', async () => {
      const { part } = await join('task', 1);
      await Promise.all([part.leave(), part.leave()]);
      await part.leave();
      expect(part.shares()).toEqual([]);
    });

    it.each([['', 1], ['task', 0], ['task', 1.5], ['task', Number.NaN]])('refuses task %j with %p shares', async (task, count) => {
      const shares = await under.open();
      await expect(shares.takePart(task, count, async () => undefined)).rejects.toThrow(InvalidValue);
    });

    it('refuses a count that is not that of the others', async () => {
      const first = await join('task', 2);
      await spread(2, first);
      const shares = await under.open();
      await expect(shares.takePart('task', 3, async () => undefined)).rejects.toThrow(InvalidValue);
    });
  });
