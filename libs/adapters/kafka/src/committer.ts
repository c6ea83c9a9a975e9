import { pause } from '@palimpsest/foundation';
import { backoffMs } from './backoff.ts';
import { kafkaType } from './faults.ts';
import type { GroupMembership } from './group-membership.ts';
import type { PartitionWork } from './partition-work.ts';

/** The group does not know this member, or has continued without it. */
const LOST = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

/** How long changes that no caller waits for may be collected before they are committed, in milliseconds. */
const GATHER_MS = 5;

export type CommitHooks = Readonly<{
  /** The group has continued without this member. */
  lost(): void;
  /** Called before a commit to add further changes. The returned function is called when they are committed. */
  announce(): () => void;
}>;

/** Commits the known state of all partitions. One commit runs at a time; changes in the meantime are part of the next. */
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

  /** Resolves when the current state is committed. Rejects if it cannot be committed: the partitions are lost or released. */
  flush(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error('the partitions were released'));
    this.#stopGathering();
    const waiter = Promise.withResolvers<void>();
    this.#waiters.push(waiter);
    this.#running ??= this.#commitAll().finally(() => (this.#running = undefined));
    return waiter.promise;
  }

  /** Commits soon, with other changes until then. */
  request(): void {
    if (this.#waiters.length === 0) this.#gathering ??= setTimeout(() => this.commitNow(), GATHER_MS);
  }

  /** Commits immediately, or as soon as the running commit has ended. */
  commitNow(): void {
    if (this.#waiters.length === 0) this.flush().catch(() => undefined);
  }

  /** Resolves when no commit is running and none will start. */
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
    // changes of the same tick are committed together
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters.splice(0);
      const committed = await this.#commit();
      for (const { resolve, reject } of waiters) {
        if (committed) resolve();
        else reject(new Error('the partitions were released'));
      }
    }
  }

  /** Returns false if the commit did not succeed before the partitions were released. */
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
