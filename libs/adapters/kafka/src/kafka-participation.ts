import type { LeaseMembership } from '@palimpsest/knowledge/ports';
import { endsWithin } from './backoff.ts';
import { GroupMembership } from './group-membership.ts';
import { HeldLease, type WhileHeld } from './held-lease.ts';
import type { KafkaLink } from './kafka-link.ts';

/** A member of the group of a task: the partitions it is assigned are its shares. */
export class KafkaParticipation implements LeaseMembership {
  readonly #link: KafkaLink;
  readonly #hold: WhileHeld;
  readonly #membership: GroupMembership;
  /** Includes shares that were released and whose hold has not ended. */
  readonly #held = new Map<number, HeldLease>();
  #shares: readonly number[] = [];
  #left: Promise<void> | undefined;

  constructor(link: KafkaLink, topic: string, hold: WhileHeld) {
    this.#link = link;
    this.#hold = hold;
    this.#membership = new GroupMembership(link, topic, topic, {
      joined: (partitions) => this.#joined(partitions),
      release: () => this.#release(),
      lost: () => this.#letGo(),
      batch: async () => undefined,
    });
    this.#membership.start();
  }

  shares(): readonly number[] {
    return this.#shares;
  }

  leave(): Promise<void> {
    this.#left ??= (async () => {
      await this.#release();
      await this.#membership.leave();
      // a rebalance in progress may have assigned some once more
      await this.#release();
    })();
    return this.#left;
  }

  async kill(): Promise<void> {
    this.#left ??= Promise.resolve();
    this.#letGo();
    await this.#membership.kill();
  }

  #joined(partitions: readonly number[]): void {
    this.#letGo();
    if (this.#left !== undefined) return;
    this.#shares = [...partitions].sort((a, b) => a - b);
    for (const share of this.#shares) {
      const before = this.#held.get(share)?.ended ?? Promise.resolve();
      const held = new HeldLease(share, this.#hold, before, this.#link.settings.onFault);
      this.#held.set(share, held);
      void held.ended.then(() => this.#held.get(share) === held && this.#held.delete(share));
    }
  }

  #letGo(): void {
    this.#shares = [];
    for (const held of this.#held.values()) held.letGo();
  }

  /** Resolves when all holds have ended. After the grace period, it continues without those that ignore their signal. */
  async #release(): Promise<void> {
    this.#letGo();
    await endsWithin(Promise.all([...this.#held.values()].map(({ ended }) => ended)), this.#link.settings.graceMs);
  }
}
