import pLimit, { type LimitFunction } from 'p-limit';
import { InvalidValue, laterOf, NotCaughtUp, type EventLog, type Position, type RecordedEvent } from '@palimpsest/knowledge';
import { pause } from '@palimpsest/contracts';
import { RecentEvents, type LiveBatch } from './recent-events.ts';

/** A follower went from old to live events, and then fell so far behind that what it lacks is not at hand any more. */
export class FellBehind extends Error {}

export type LiveLogOptions = Readonly<{
  /** What is kept at hand for those who are a little behind: events, and characters of their data. Defaults 2,000 and 8 million. */
  mostEvents?: number;
  mostChars?: number;
  /** Followers that read old events at the same time, default 2: the others wait for their turn. */
  catchingUp?: number;
  onError: (error: unknown) => void;
}>;

/** Old events that a follower reads at a time. */
const CATCH_UP_EVENTS = 256;
const RETRY_MS = 1_000;

/**
 * One subscription of the log for any number of followers, while there are any. What it brings is kept in a ring of bounded
 * size; each follower takes from it at its own pace, and old events come from the log, so nothing is kept for anybody alone.
 */
export class LiveLog {
  readonly #log: Pick<EventLog, 'follow' | 'head' | 'headMayLag' | 'readAll'>;
  readonly #options: Required<LiveLogOptions>;
  readonly #catchingUp: LimitFunction;
  #followers = 0;
  #following: Readonly<{ stop: AbortController; ended: Promise<void>; recent: Promise<RecentEvents> }> | undefined;

  constructor(log: Pick<EventLog, 'follow' | 'head' | 'headMayLag' | 'readAll'>, { mostEvents = 2_000, mostChars = 8_000_000, catchingUp = 2, onError }: LiveLogOptions) {
    this.#log = log;
    this.#options = { mostEvents, mostChars, catchingUp, onError };
    this.#catchingUp = pLimit(catchingUp);
  }

  head(): Promise<Position> {
    return this.#log.head();
  }

  /** @throws InvalidValue for a position that the log does not have, as far as the log can tell */
  async check(after: Position): Promise<void> {
    if (after > (await this.#log.head())) {
      if (this.#log.headMayLag === true) throw new NotCaughtUp(`the event log has not reached position ${after}`);
      throw new InvalidValue('after', 'a position that an earlier answer gave', String(after));
    }
    for await (const _ of this.#log.readAll({ from: after, limit: 1 })) return;
  }

  /** Everything after `after`, until the signal aborts. @throws FellBehind; whatever the log fails with while old events are read */
  async *follow(after: Position, signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const recent = await this.#join();
    try {
      let reached = after;
      for (let live = false; !signal.aborted; ) {
        const atHand = recent.after(reached);
        if (live && !atHand) throw new FellBehind('the follower did not keep up with the log');
        live ||= atHand !== undefined;
        const batch = atHand ?? (await this.#old(reached, recent));
        if (batch.upTo > reached) {
          reached = batch.upTo;
          yield batch;
        } else await recent.changed(signal);
      }
    } finally {
      await this.#leave();
    }
  }

  /** What the ring does not reach back to. */
  #old(after: Position, recent: RecentEvents): Promise<LiveBatch> {
    return this.#catchingUp(async () => {
      // Seen before the log is read: a read that comes to the end has everything up to there.
      const edge = recent.start;
      const events: RecordedEvent[] = [];
      for await (const event of this.#log.readAll({ from: after, limit: CATCH_UP_EVENTS })) events.push(event);
      const last = events.at(-1)?.position ?? after;
      return { events, upTo: events.length < CATCH_UP_EVENTS ? laterOf(last, edge) : last };
    });
  }

  #join(): Promise<RecentEvents> {
    this.#followers++;
    if (!this.#following) {
      const stop = new AbortController();
      const recent = this.#log.head().then((head) => new RecentEvents(head, this.#options));
      this.#following = { stop, recent, ended: recent.then((ring) => this.#run(ring, stop.signal)).catch(this.#options.onError) };
    }
    return this.#following.recent.catch(async (error: unknown) => {
      await this.#leave();
      throw error;
    });
  }

  async #leave(): Promise<void> {
    if (--this.#followers > 0) return;
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    await following?.ended;
  }

  async #run(recent: RecentEvents, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const { events, upTo } of this.#log.follow({ after: recent.end, signal })) recent.add(events, upTo);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        await pause(RETRY_MS, signal);
      }
    }
  }
}

