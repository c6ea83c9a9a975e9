import pLimit, { type LimitFunction } from 'p-limit';
import { InvalidValue, NotCaughtUp } from '@palimpsest/knowledge/errors';
import type { EventLog, FollowBatch, RecordedEvent } from '@palimpsest/knowledge/ports';
import { laterOf, type Position } from '@palimpsest/knowledge/values';
import { eachBatch, Subscription } from '@palimpsest/contracts';
import { SYSTEM, type Scheduler } from '@palimpsest/foundation';
import { RecentEvents, type LiveBatch } from './recent-events.ts';

/** A live follower fell so far behind that the events it needs are no longer in the buffer. */
export class FellBehind extends Error {}

export type LiveLogOptions = Readonly<{
  /** Size of the buffer for followers that are slightly behind: events, and characters of their data. Defaults 2,000 and 8 million. */
  maxEvents?: number;
  maxChars?: number;
  /** Maximum followers that read old events at the same time; default 2. The others wait. */
  catchingUp?: number;
  onError: (error: unknown) => void;
  scheduler?: Scheduler;
}>;

/** Number of old events per read. */
const CATCH_UP_EVENTS = 256;

type Following = Readonly<{ subscription: Subscription<FollowBatch>; recent: Promise<RecentEvents> }>;

/**
 * One subscription of the log, shared by all followers; it exists while there is a follower. Its events are kept in a buffer of bounded
 * size, which each follower reads at its own pace. Older events are read from the log, so no memory is needed per follower.
 */
export class LiveLog {
  readonly #log: Pick<EventLog, 'follow' | 'head' | 'headMayLag' | 'readAll'>;
  readonly #options: Required<LiveLogOptions>;
  readonly #catchingUp: LimitFunction;
  #followers = 0;
  #following: Following | undefined;

  constructor(
    log: Pick<EventLog, 'follow' | 'head' | 'headMayLag' | 'readAll'>,
    { maxEvents = 2_000, maxChars = 8_000_000, catchingUp = 2, onError, scheduler = SYSTEM.scheduler }: LiveLogOptions,
  ) {
    this.#log = log;
    this.#options = { maxEvents, maxChars, catchingUp, onError, scheduler };
    this.#catchingUp = pLimit(catchingUp);
  }

  head(): Promise<Position> {
    return this.#log.head();
  }

  /** @throws InvalidValue for a position that the log does not have, as far as the log can check */
  async check(after: Position): Promise<void> {
    if (after > (await this.#log.head())) {
      if (this.#log.headMayLag === true) throw new NotCaughtUp(`the event log has not reached position ${after}`);
      throw new InvalidValue('after', 'a position that an earlier response returned', String(after));
    }
    for await (const _ of this.#log.readAll({ from: after, limit: 1 })) return;
  }

  /** Yields all events after `after`, until the signal aborts. @throws FellBehind; errors of the log while old events are read */
  async *follow(after: Position, signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const recent = await this.#join();
    try {
      let reached = after;
      for (let live = false; !signal.aborted;) {
        const buffered = recent.after(reached);
        if (live && !buffered) throw new FellBehind('the follower did not keep up with the log');
        live ||= buffered !== undefined;
        const batch = buffered ?? (await this.#old(reached, recent));
        if (batch.upTo > reached) {
          reached = batch.upTo;
          yield batch;
        } else await recent.changed(signal);
      }
    } finally {
      await this.#leave();
    }
  }

  /** Reads events that are older than the buffer. */
  #old(after: Position, recent: RecentEvents): Promise<LiveBatch> {
    return this.#catchingUp(async () => {
      // Taken before reading the log: a read that reaches the end includes everything up to this position.
      const edge = recent.start;
      const events: RecordedEvent[] = [];
      for await (const event of this.#log.readAll({ from: after, limit: CATCH_UP_EVENTS })) events.push(event);
      const last = events.at(-1)?.position ?? after;
      return { events, upTo: events.length < CATCH_UP_EVENTS ? laterOf(last, edge) : last };
    });
  }

  #join(): Promise<RecentEvents> {
    this.#followers++;
    this.#following ??= this.#start();
    return this.#following.recent.catch(async (error: unknown) => {
      await this.#leave();
      throw error;
    });
  }

  #start(): Following {
    const recent = this.#log.head().then((head) => new RecentEvents(head, this.#options));
    const subscription = new Subscription<FollowBatch>(
      {
        begin: async () => (await recent).end,
        follow: (after, signal) => this.#log.follow({ after, signal }),
        run: eachBatch(async ({ events, upTo }) => (await recent).add(events, upTo)),
        onError: this.#options.onError,
      },
      { scheduler: this.#options.scheduler },
    );
    subscription.start();
    return { subscription, recent };
  }

  async #leave(): Promise<void> {
    if (--this.#followers > 0) return;
    const following = this.#following;
    this.#following = undefined;
    await following?.subscription.stop();
  }
}
