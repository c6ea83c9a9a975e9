import { laterOf, type FollowBatch, type Position, type RecordedEvent } from '@palimpsest/knowledge';
import { Backoff } from './backoff.ts';
import { Bell } from './bell.ts';
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
  /** Event types to follow; everything else of the log is passed over. */
  regex: string;
  /** Whether events of this log are left out, so that `upTo` must move without an event. */
  filtered: boolean;
  maxBatch: number;
}>;

/** How long a batch waits for the events that are known to be on the log. */
const LINGER_MS = { all: 200, filtered: 5 };
/** Least time between two questions whether anything matches up to the head; longer after one that failed or found something. */
const PROBE_EVERY_MS = 50;
const PROBE_AGAIN_MS = 500;

/** Makes batches of what a feed brings. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #followed: Followed;
  readonly #feed: Feed;
  readonly #bell = new Bell();
  readonly #endings: readonly (() => void)[];
  #upTo: Position;
  #started = false;
  #stopped = false;
  /** Whether the last batch said that it was caught up. */
  #toldCaughtUp = false;
  #probeAt = 0;

  constructor(parts: FollowerParts, followed: Followed) {
    this.#parts = parts;
    this.#followed = followed;
    this.#upTo = followed.after;
    this.#feed = new Feed(parts, followed.after, followed.regex, 2 * followed.maxBatch, () => this.#bell.ring());
    this.#endings = [parts.head.onMoved(() => this.#bell.ring()), ...(followed.filtered ? [parts.watch.want()] : [])];
  }

  stop(): void {
    this.#stopped = true;
    this.#feed.stop();
    for (const end of this.#endings) end();
    this.#bell.ring();
  }

  /**
   * The next batch; undefined once it was stopped.
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
    this.#toldCaughtUp = caughtUp;
    return { events, upTo: this.#upTo, caughtUp };
  }

  /** The first batch says whether anything is on the log, so that must be known, however long it takes. */
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

  /** Until there is something to tell; false when it was stopped before. */
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
        await this.#bell.wait(left);
      } else if (await this.#isToBeTold()) return true;
      else await this.#bell.wait(this.#waitMs());
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

  /** Nothing has come in. Is there something to tell all the same? */
  async #isToBeTold(): Promise<boolean> {
    if (this.#feed.error) throw this.#feed.error;
    const { head } = this.#parts;
    if (!this.#feed.quiet) return false;
    if (this.#upTo >= head.known) return !this.#toldCaughtUp;
    return this.#followed.filtered && (await this.#movePastOthers());
  }

  /**
   * The log has gone on and nothing came in: if nothing that matches lies up to its head, everything up to there is delivered.
   * The head is read first, then the gap, both from the leader, so that no event in between can be overlooked.
   */
  async #movePastOthers(): Promise<boolean> {
    if (Date.now() < this.#probeAt) return false;
    this.#probeAt = Date.now() + PROBE_EVERY_MS;
    try {
      const head = await this.#parts.head.refresh();
      const found = await this.#parts.anyAfter(this.#upTo, this.#followed.regex);
      if (found) this.#probeAt = Date.now() + PROBE_AGAIN_MS; // the feed will bring it
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
    // Whatever waits in the feed has moved the head.
    const reached = (): boolean => this.#upTo >= head.known;
    if (!reached() || this.#feed.live) return reached();
    // Still among the old events: what is known of the head may be old as well.
    return head.refresh().then(reached, () => false);
  }
}
