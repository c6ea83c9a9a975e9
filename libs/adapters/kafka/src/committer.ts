import { pause } from '@palimpsest/contracts';
import { backoffMs } from './backoff.ts';
import { kafkaType } from './faults.ts';
import type { GroupMembership } from './group-membership.ts';
import type { PartitionWork } from './partition-work.ts';

/** The group does not know this member, or goes on without it. */
const LOST = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

/** How long what nobody waits for may gather before it is committed, in milliseconds. */
const GATHER_MS = 5;

export type CommitHooks = Readonly<{
  /** The group goes on without this member. */
  lost(): void;
  /** Asked before a commit what else to note with it; what it answers is called when that is committed. */
  announce(): () => void;
}>;

/** Commits what is known of all partitions: one commit under way, and what changes meanwhile with the next. */
export class Committer {
  readonly #membership: Pick<GroupMembership, 'commit'>;
  readonly #works: () => Iterable<PartitionWork>;
  readonly #lost: () => void;
  readonly #announce: () => () => void;
  readonly #committed = new Map<number, number>();
  readonly #closing = new AbortController();
  #waiters: PromiseWithResolvers<void>[] = [];
  #running: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(membership: Pick<GroupMembership, 'commit'>, works: () => Iterable<PartitionWork>, hooks: CommitHooks) {
    this.#membership = membership;
    this.#works = works;
    this.#lost = hooks.lost;
    this.#announce = hooks.announce;
  }

  /** Resolves when what is known now is committed. Rejects when it will not be: the partitions are lost, or given up. */
  flush(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error('the partitions are given up'));
    this.#stopGathering();
    const waiter = Promise.withResolvers<void>();
    this.#waiters.push(waiter);
    this.#running ??= this.#commitAll().finally(() => (this.#running = undefined));
    return waiter.promise;
  }

  /** Soon, with what else changes until then. */
  request(): void {
    if (this.#waiters.length === 0) this.#gathering ??= setTimeout(() => this.hurry(), GATHER_MS);
  }

  /** At once, or as soon as the commit under way is done. */
  hurry(): void {
    if (this.#waiters.length === 0) this.flush().catch(() => undefined);
  }

  /** Resolves when no commit is under way, nor will be. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopGathering();
    await this.#running;
  }

  #stopGathering(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  async #commitAll(): Promise<void> {
    // what changes in this turn goes together
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters.splice(0);
      const committed = await this.#commit();
      for (const { resolve, reject } of waiters) {
        if (committed) resolve();
        else reject(new Error('the partitions are given up'));
      }
    }
  }

  /** Answers false when it could not be done until the partitions were given up. */
  async #commit(): Promise<boolean> {
    const announced = this.#announce();
    for (let failures = 0; ; failures += 1) {
      const changed = [...this.#works()].filter(({ partition, ledger }) => ledger.changes !== (this.#committed.get(partition) ?? 0));
      if (changed.length === 0) return true;
      if (failures > 0 && this.#closing.signal.aborted) return false;
      const changes = changed.map(({ partition, ledger }) => [partition, ledger.changes] as const);
      try {
        await this.#membership.commit(changed.map(commitOf));
        for (const [partition, change] of changes) this.#committed.set(partition, change);
        announced();
        return true;
      } catch (error) {
        if (LOST.has(kafkaType(error))) return (this.#lost(), false);
        await pause(backoffMs(failures, 50, 1_000), this.#closing.signal);
      }
    }
  }
}

const commitOf = (work: PartitionWork): Readonly<{ partition: number; offset: string; metadata: string }> => ({
  partition: work.partition,
  offset: String(work.ledger.low),
  metadata: work.metadata(Date.now()),
});
