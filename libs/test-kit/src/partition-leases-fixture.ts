import { expect } from '@jest/globals';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { SingleProcessUnderTest } from './partition-leases-under-test.ts';
import { becomes, ShareHolder } from './share-holder.ts';

export type Member = Readonly<{ shares: PartitionLeases; holder: ShareHolder; membership: LeaseMembership }>;

/** The members of the tasks of one test, each in a process of its own. */
export class LeaseMembers<Under extends SingleProcessUnderTest> {
  readonly under: Under;
  readonly #holders = new Set<ShareHolder>();
  readonly #overlaps: string[] = [];

  constructor(under: Under) {
    this.under = under;
  }

  async join(task: string, count: number, release?: () => Promise<void>): Promise<Member> {
    const shares = await this.under.open();
    const holder = this.aHolder(release);
    return { shares, holder, membership: await shares.join(task, count, holder.hold) };
  }

  aHolder(release?: () => Promise<void>): ShareHolder {
    return new ShareHolder(this.#holders, this.#overlaps, release);
  }

  /** From now on, shares with the same number belong to different tasks. */
  separate(): void {
    this.#holders.clear();
  }

  /** Waits until every share is held, only by these members and as evenly as possible. */
  spread(count: number, ...members: readonly Member[]): Promise<void> {
    return this.becomes(`${members.length} members hold ${count} shares evenly`, () => {
      const sizes = members.map(({ membership }) => membership.shares().length);
      const agree = members.every(
        ({ membership, holder }) =>
          membership.shares().every((share) => holder.held.has(share)) && holder.held.size === membership.shares().length,
      );
      const all = new Set(members.flatMap(({ membership }) => membership.shares()));
      return agree && all.size === count && sizes.reduce((a, b) => a + b, 0) === count && Math.max(...sizes) - Math.min(...sizes) <= 1;
    });
  }

  becomes(what: string, isSo: () => boolean): Promise<void> {
    return becomes(what, isSo, this.under.patienceMs);
  }

  expectNoOverlaps(): void {
    expect(this.#overlaps).toEqual([]);
  }
}
