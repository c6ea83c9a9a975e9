import type { Batch } from 'kafkajs';
import { aborted, endsWithin } from './backoff.ts';
import { Committer } from './committer.ts';
import type { GroupMembership } from './group-membership.ts';
import type { Entry, KeyQueue, PartitionWork } from './partition-work.ts';
import { ReadyKeys, type Taken } from './ready-keys.ts';
import type { Outcome } from '@palimpsest/contracts';

/** How long a handler may take to react to its signal before its messages are given to others. */
export const ABORT_GRACE_MS = 1_000;

/** A running call of a handler: `abort` asks it to end, `abandon` stops waiting for it. */
type RunningCall = Readonly<{ ended: Promise<number>; abort: () => void; abandon: () => void }>;

export type AssignmentHooks = Readonly<{
  /** The committed state of the partitions. Retries until it succeeds or the signal says that no one needs it. */
  load(partitions: readonly number[], signal: AbortSignal): Promise<readonly PartitionWork[]>;
  /** The lowest offset that Kafka still keeps. */
  oldest(partition: number): Promise<number>;
  /** Called when there may be messages to distribute. */
  wake(): void;
  /** How many messages will be requested before a separate commit could be made for them. */
  ahead(): number;
}>;

/** The partitions that this member holds between two rebalances, and the work on them. Released as a whole. */
export class Assignment {
  readonly #membership: GroupMembership;
  readonly #wake: () => void;
  readonly #oldest: AssignmentHooks['oldest'];
  readonly #ahead: () => number;
  readonly #works = new Map<number, PartitionWork>();
  readonly #ready = new ReadyKeys();
  readonly #calls = new Set<RunningCall>();
  readonly #committer: Committer;
  readonly #loaded: Promise<void>;
  readonly #givenUp = new AbortController();
  #state: 'running' | 'retiring' | 'over' = 'running';
  #retired: Promise<void> | undefined;

  constructor(partitions: readonly number[], membership: GroupMembership, { load, oldest, wake, ahead }: AssignmentHooks) {
    this.#membership = membership;
    this.#wake = wake;
    this.#oldest = oldest;
    this.#ahead = ahead;
    this.#committer = new Committer(membership, () => this.#works.values(), { lost: () => this.lose(), announce: () => this.#announce() });
    this.#loaded = load(partitions, this.#givenUp.signal).then((works) => {
      for (const work of works) this.#works.set(work.partition, work);
      // kafkajs keeps the paused state of partitions over a rebalance
      for (const { partition } of works) membership.fetchMore(partition, true);
    });
    this.#loaded.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** The number of ready keys. `onlyNoted`: keys whose next message is already committed as tried. */
  readyKeys(onlyNoted: boolean): number {
    return this.#ready.count(onlyNoted);
  }

  async intake(batch: Batch, alive: () => Promise<void>): Promise<void> {
    while (!this.#works.has(batch.partition) && this.isRunning && !(await endsWithin(this.#loaded, 500))) await alive();
    const work = this.#works.get(batch.partition);
    if (work === undefined || !this.isRunning) return;
    if (!isNext(batch, work.position) && (await this.#oldest(batch.partition)) <= work.position)
      return this.#membership.seek(batch.partition, work.position);
    for (const queue of work.intake(batch.messages)) queue.whenReady(this.#offer);
    if (work.isFull && !work.paused) this.#pause(work, true);
    // duplicates and messages for other groups were settled on intake
    this.#committer.request();
    this.#wake();
  }

  /** Up to `max` ready messages, each with another key, in the order in which they became ready. */
  take(max: number, onlyNoted: boolean): Taken {
    const taken = this.#ready.take(max, onlyNoted);
    // before the noted ones run out
    const few = this.#ready.count(true) <= Math.min(this.#ready.count(false), this.#ahead()) / 2;
    if (onlyNoted && (few || taken.entries.length === 0)) this.#committer.commitNow();
    return taken;
  }

  /** Marks these messages as tried; resolves when that is committed. @throws when the partitions are released */
  async begin(call: RunningCall, { entries, noted }: Taken): Promise<void> {
    this.#calls.add(call);
    if (noted) return;
    for (const { queue, offset } of entries) {
      queue.work.ledger.progress(offset).trying = true;
      queue.work.ledger.changed();
    }
    await this.#committer.flush();
  }

  /** Records the outcome of a message. Has no effect once the partitions are released. */
  finish(entry: Entry, outcome: Outcome): void {
    if (this.#state === 'over') return;
    const {
      queue,
      offset,
      queue: { work },
    } = entry;
    if (outcome.outcome === 'done' || outcome.outcome === 'dead') {
      work.ledger.settle(offset);
      work.drop(entry);
    } else {
      const progress = work.ledger.progress(offset);
      progress.trying = false;
      if (outcome.outcome === 'retry') [progress.failures, progress.notBefore] = [progress.failures + 1, outcome.at];
      work.ledger.changed();
    }
    if (this.isRunning) queue.whenReady(this.#offer);
    if (work.paused && work.hasRoom) this.#pause(work, false);
    this.#committer.request();
  }

  ended(call: RunningCall): void {
    this.#calls.delete(call);
  }

  /** Resolves when the known state is committed, or can no longer be committed. */
  async flush(): Promise<void> {
    await this.#committer.flush().catch(() => undefined);
  }

  /** Lets handlers end, aborts them after the grace period and commits their outcomes; resolves when the partitions are released. */
  retire(graceMs: number): Promise<void> {
    this.#retired ??= this.#state === 'over' ? this.#committer.close() : this.#retire(graceMs);
    return this.#retired;
  }

  async #retire(graceMs: number): Promise<void> {
    this.#state = 'retiring';
    this.#stopWaiting();
    // finds out immediately whether the group has continued without this member
    void this.flush();
    if (!(await this.#callsEnd(graceMs))) {
      for (const call of this.#calls) call.abort();
      if (!(await this.#callsEnd(ABORT_GRACE_MS))) for (const call of this.#calls) call.abandon();
    }
    await Promise.race([this.flush(), aborted(this.#givenUp.signal)]);
    this.#end();
    await this.#committer.close();
  }

  /** The partitions belong to another process, or soon will. */
  lose(): void {
    if (this.#state === 'over') return;
    this.#stopWaiting();
    this.#end();
    for (const call of this.#calls) call.abort();
    void this.#committer.close();
  }

  readonly #offer = (queue: KeyQueue): void => {
    if (!this.isRunning) return;
    this.#ready.offer(queue);
    this.#wake();
  };

  /**
   * If handlers are faster than a commit, the next messages are marked as tried before they are requested. After a
   * crash, some of them may count an attempt that no handler has seen.
   */
  #announce(): () => void {
    const committed = this.#ready.note(this.isRunning ? this.#ahead() : 0);
    return () => {
      if (!this.isRunning) return;
      committed();
      this.#wake();
    };
  }

  #end(): void {
    this.#state = 'over';
    this.#givenUp.abort();
  }

  #stopWaiting(): void {
    this.#ready.clear();
    for (const { ledger } of this.#works.values()) ledger.changed();
    for (const work of this.#works.values()) for (const queue of work.keys.values()) queue.cancel();
  }

  #callsEnd(ms: number): Promise<boolean> {
    const all = Promise.all([...this.#calls].map((call) => call.ended));
    return this.#calls.size === 0 ? Promise.resolve(true) : endsWithin(Promise.race([all, aborted(this.#givenUp.signal)]), ms);
  }

  #pause(work: PartitionWork, paused: boolean): void {
    work.paused = paused;
    this.#membership.fetchMore(work.partition, !paused);
  }
}

/**
 * A fetch that was in progress when partitions moved may arrive when other messages are expected. If those are no longer
 * kept, kafkajs has continued at the oldest one.
 */
const isNext = (batch: Batch, position: number): boolean => {
  const { fetchedOffset } = batch as Batch & { fetchedOffset?: string };
  return Number(fetchedOffset ?? batch.firstOffset() ?? position) <= position;
};
