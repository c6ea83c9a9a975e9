import type { FollowBatch, RecordedEvent } from '@palimpsest/knowledge/ports';
import { laterOf, type Position } from '@palimpsest/knowledge/values';
import { Backoff } from './backoff.ts';
import { Signal } from './signal.ts';
import { Feed, type FeedParts } from './feed.ts';
import type { HeadWatch } from './head-watch.ts';
import { asKnowledgeError } from './server-faults.ts';

export type FollowerParts = FeedParts &
  Readonly<{
    watch: HeadWatch;
    /** Whether the log has an event that matches `regex` after `after`. */
    anyAfter: (after: Position, regex: string) => Promise<boolean>;
  }>;

export type Followed = Readonly<{
  after: Position;
  /** Event types to follow; all others are skipped. */
  regex: string;
  /** Whether events of this log are skipped, so that `upTo` must advance without an event. */
  filtered: boolean;
  maxBatch: number;
}>;

/** How long a batch waits for the events that are known to be on the log. */
const LINGER_MS = { all: 200, filtered: 5 };
/** Minimum time between two checks for matching events up to the head. Longer after a check that failed or found something. */
const PROBE_EVERY_MS = 50;
const PROBE_AGAIN_MS = 500;

/** Builds batches from the items of a feed. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #followed: Followed;
  readonly #feed: Feed;
  readonly #signal = new Signal();
  readonly #endings: readonly (() => void)[];
  #upTo: Position;
  #started = false;
  #stopped = false;
  /** Whether the last batch reported that it was caught up. */
  #reportedCaughtUp = false;
  #probeAt = 0;

  constructor(parts: FollowerParts, followed: Followed) {
    this.#parts = parts;
    this.#followed = followed;
    this.#upTo = followed.after;
    this.#feed = new Feed(parts, followed.after, followed.regex, 2 * followed.maxBatch, () => this.#signal.notify());
    this.#endings = [parts.head.onMoved(() => this.#signal.notify()), ...(followed.filtered ? [parts.watch.want()] : [])];
  }

  stop(): void {
    this.#stopped = true;
    this.#feed.stop();
    for (const end of this.#endings) end();
    this.#signal.notify();
  }

  /**
   * The next batch; undefined after `stop`.
   * @throws KnowledgeError when following cannot go on
   */
  async next(): Promise<FollowBatch | undefined> {
    if (!this.#started) {
      this.#started = true;
      if (!(await this.#headIsKnown())) return undefined;
      if (this.#upTo >= this.#parts.head.known) return this.#batch([], true);
    }
    const events: RecordedEvent[] = [];
    if (!(await this.#collect(events)) || this.#stopped) return undefined;
    return this.#batch(events, await this.#isCaughtUp());
  }

  #batch(events: readonly RecordedEvent[], caughtUp: boolean): FollowBatch {
    this.#reportedCaughtUp = caughtUp;
    return { events, upTo: this.#upTo, caughtUp };
  }

  /** The first batch reports whether the log has events, so the head must be known, however long that takes. */
  async #headIsKnown(): Promise<boolean> {
    const backoff = new Backoff(100, 5000);
    while (!this.#stopped) {
      try {
        await this.#parts.head.refresh();
        return true;
      } catch (error) {
        const fault = asKnowledgeError(error, 'following the log');
        if (!fault.retryable) throw fault;
        await backoff.pause(this.#parts.connection.closed);
      }
    }
    return false;
  }

  /** Resolves when there is something to deliver; false if it was stopped before. */
  async #collect(events: RecordedEvent[]): Promise<boolean> {
    const before = this.#upTo;
    const known = this.#parts.head.known;
    let lingerUntil: number | undefined;
    while (!this.#stopped) {
      this.#drain(events);
      if (events.length >= this.#followed.maxBatch) return true;
      if (events.length > 0 || this.#upTo > before) {
        lingerUntil ??= Date.now() + (this.#followed.filtered ? LINGER_MS.filtered : LINGER_MS.all);
        const left = lingerUntil - Date.now();
        if (this.#upTo >= known || left <= 0) return true;
        await this.#signal.wait(left);
      } else if (await this.#hasEmptyBatch()) return true;
      else await this.#signal.wait(this.#waitMs());
    }
    return false;
  }

  #drain(events: RecordedEvent[]): void {
    while (events.length < this.#followed.maxBatch) {
      const item = this.#feed.take();
      if (item === undefined) return;
      if (item.event) events.push(item.event);
      this.#upTo = laterOf(this.#upTo, item.event ? item.event.position : item.upTo);
    }
  }

  /** Nothing was received. Returns whether a batch without events must be delivered. */
  async #hasEmptyBatch(): Promise<boolean> {
    if (this.#feed.error) throw this.#feed.error;
    const { head } = this.#parts;
    if (!this.#feed.quiet) return false;
    if (this.#upTo >= head.known) return !this.#reportedCaughtUp;
    return this.#followed.filtered && (await this.#movePastOthers());
  }

  /**
   * The log has advanced and nothing was received. If no matching event exists up to its head, everything up to there is delivered.
   * The head is read first, then the gap, both from the leader, so that no event in between is missed.
   */
  async #movePastOthers(): Promise<boolean> {
    if (Date.now() < this.#probeAt) return false;
    this.#probeAt = Date.now() + PROBE_EVERY_MS;
    try {
      const head = await this.#parts.head.refresh();
      const found = await this.#parts.anyAfter(this.#upTo, this.#followed.regex);
      if (found) this.#probeAt = Date.now() + PROBE_AGAIN_MS; // the feed will deliver it
      if (found || !this.#feed.empty) return false;
      this.#upTo = laterOf(this.#upTo, head);
      return true;
    } catch (error) {
      const fault = asKnowledgeError(error, 'following the log');
      if (!fault.retryable) throw fault;
      this.#probeAt = Date.now() + PROBE_AGAIN_MS;
      return false;
    }
  }

  #waitMs(): number | undefined {
    if (!this.#feed.live) return PROBE_AGAIN_MS / 2;
    if (this.#followed.filtered && this.#upTo < this.#parts.head.known) return Math.max(1, this.#probeAt - Date.now());
    return undefined;
  }

  async #isCaughtUp(): Promise<boolean> {
    const { head } = this.#parts;
    // Items that wait in the feed have moved the head.
    const reached = (): boolean => this.#upTo >= head.known;
    if (!reached() || this.#feed.live) return reached();
    // Still among the old events: the known head may be outdated as well.
    return head.refresh().then(reached, () => false);
  }
}
