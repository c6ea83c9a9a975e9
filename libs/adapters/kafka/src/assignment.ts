import type { Batch } from 'kafkajs';
import { aborted, endsWithin } from './backoff.ts';
import { Committer } from './committer.ts';
import type { GroupMembership } from './group-membership.ts';
import type { Entry, KeyQueue, PartitionWork } from './partition-work.ts';
import { ReadyKeys, type Taken } from './ready-keys.ts';
import type { Outcome } from '@palimpsest/contracts';

/** How long a handler may take to heed its signal before its messages are given to others. */
export const HEED_SIGNAL_MS = 1_000;

/** A call of a handler under way: `abort` tells it to end, `giveUp` waits for it no longer. */
type RunningCall = Readonly<{ ended: Promise<number>; abort: () => void; giveUp: () => void }>;

export type AssignmentHooks = Readonly<{
  /** How far the partitions were settled before. Goes on until it succeeds or the signal says that nobody needs it. */
  load(partitions: readonly number[], signal: AbortSignal): Promise<readonly PartitionWork[]>;
  /** The lowest offset that is still kept. */
  oldest(partition: number): Promise<number>;
  /** There may be something to hand out. */
  wake(): void;
  /** How many messages will be asked for before a commit of its own could be made for them. */
  ahead(): number;
}>;

/** The partitions that this member has between two rebalances, and the work on them. Given up as a whole. */
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
      // kafkajs remembers over a rebalance what was held up before it
      for (const { partition } of works) membership.fetchMore(partition, true);
    });
    this.#loaded.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** How many keys are ready. `onlyNoted`: of whose messages it is committed already that they are tried. */
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
    // duplicates and messages for others were settled on the way in
    this.#committer.request();
    this.#wake();
  }

  /** At most so many messages that are ready, each of another key, the longest ready first. */
  take(most: number, onlyNoted: boolean): Taken {
    const taken = this.#ready.take(most, onlyNoted);
    // before the noted ones run out
    const few = this.#ready.count(true) <= Math.min(this.#ready.count(false), this.#ahead()) / 2;
    if (onlyNoted && (few || taken.entries.length === 0)) this.#committer.hurry();
    return taken;
  }

  /** Notes that these are tried now; resolves when that is committed. @throws when the partitions are given up */
  async begin(call: RunningCall, { entries, noted }: Taken): Promise<void> {
    this.#calls.add(call);
    if (noted) return;
    for (const { queue, offset } of entries) {
      queue.work.ledger.progress(offset).trying = true;
      queue.work.ledger.changed();
    }
    await this.#committer.flush();
  }

  /** What became of a message; nothing happens once the partitions are given up. */
  finish(entry: Entry, outcome: Outcome): void {
    if (this.#state === 'over') return;
    const { queue, offset, queue: { work } } = entry;
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

  /** Resolves when what is known is committed, or never will be. */
  async flush(): Promise<void> {
    await this.#committer.flush().catch(() => undefined);
  }

  /** Lets handlers end, aborts them after the grace, commits what they did; resolves when all is given up. */
  retire(graceMs: number): Promise<void> {
    this.#retired ??= this.#state === 'over' ? this.#committer.close() : this.#retire(graceMs);
    return this.#retired;
  }

  async #retire(graceMs: number): Promise<void> {
    this.#state = 'retiring';
    this.#stopWaiting();
    // shows at once when the group has gone on without this member
    void this.flush();
    if (!(await this.#callsEnd(graceMs))) {
      for (const call of this.#calls) call.abort();
      if (!(await this.#callsEnd(HEED_SIGNAL_MS))) for (const call of this.#calls) call.giveUp();
    }
    await Promise.race([this.flush(), aborted(this.#givenUp.signal)]);
    this.#end();
    await this.#committer.close();
  }

  /** The partitions are somebody else's, or will be. */
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
   * Where handlers are quicker than a commit, the next messages are noted as tried before anybody asks for them. (After a
   * crash some may then count an attempt that no handler has seen.)
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
 * A fetch that was under way when partitions moved may come when other messages are expected. Where those are no longer
 * kept, kafkajs has gone on to the oldest one by itself.
 */
const isNext = (batch: Batch, position: number): boolean => {
  const { fetchedOffset } = batch as Batch & { fetchedOffset?: string };
  return Number(fetchedOffset ?? batch.firstOffset() ?? position) <= position;
};
