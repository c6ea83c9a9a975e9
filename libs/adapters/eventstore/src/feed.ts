import { ServerAway, type KnowledgeError } from '@palimpsest/knowledge/errors';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { laterOf, type Position } from '@palimpsest/knowledge/values';
import { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import { decodeEvent, sizeOfEvent } from './decode-event.ts';
import type { LogHead } from './log-head.ts';
import type { Namespace } from './namespace.ts';
import { isExpressible, positionOf } from './positions.ts';
import type { ReadResp } from './protocol.ts';
import { allSubscription } from './read-request.ts';
import { isMadeUp } from './made-up-position.ts';
import { asKnowledgeError, invalidPosition, isTransient } from './server-faults.ts';
import { serverRead } from './server-read.ts';

/** What was received, in order: an event, or a checkpoint that says that everything up to `upTo` was read. */
export type FeedItem = Readonly<{ event: RecordedEvent; bytes: number } | { event?: undefined; upTo: Position; live: boolean }>;

export type FeedParts = Readonly<{
  connection: Connection;
  namespace: Namespace;
  head: LogHead;
  /** Called for each failure after which the subscription starts again. */
  onFault: (fault: KnowledgeError) => void;
}>;

/** Maximum bytes of events that wait for the consumer. */
const BUFFER_BYTES = 8 * 1024 * 1024;
/** A server that does not report catching up (before 23.10) counts as caught up when it was silent for this long. */
const QUIET_MS = 250;
/** Maximum duration of the read that checks whether a position exists. */
const LOOK_MS = 4000;

/**
 * A catch-up subscription that resumes after a failure. It reads from the server until its buffer is full, then it pauses.
 * The client's own subscriptions end at the first failure (trap 4).
 */
export class Feed {
  readonly #parts: FeedParts;
  readonly #regex: string;
  readonly #max: number;
  readonly #stop = new AbortController();
  readonly #onItem: () => void;
  #items: FeedItem[] = [];
  #next = 0;
  #bytes = 0;
  #roomMade: (() => void) | undefined;
  /** The last received position. Everything in the buffer is at or before it. */
  #last: Position;
  #lastMessageAt = Date.now();
  #live = false;
  #error: KnowledgeError | undefined;

  /** `max`: events that wait for the consumer. `onItem` is called when something was received, or when the feed failed permanently. */
  constructor(parts: FeedParts, after: Position, regex: string, max: number, onItem: () => void) {
    this.#parts = parts;
    this.#last = after;
    this.#regex = regex;
    this.#max = max;
    this.#onItem = onItem;
    void this.#run();
  }

  get error(): KnowledgeError | undefined {
    return this.#error;
  }

  get empty(): boolean {
    return this.#next === this.#items.length;
  }

  /** Everything that was on the log when the subscription started has been received. */
  get live(): boolean {
    return this.#live;
  }

  get quiet(): boolean {
    return this.#live || Date.now() - this.#lastMessageAt >= QUIET_MS;
  }

  take(): FeedItem | undefined {
    const item = this.#items[this.#next];
    if (item === undefined) return undefined;
    this.#next += 1;
    if (item.event) this.#bytes -= item.bytes;
    if (this.empty) {
      this.#items = [];
      this.#next = 0;
    }
    if (!this.#full) this.#roomMade?.();
    return item;
  }

  stop(): void {
    this.#stop.abort();
    this.#roomMade?.();
  }

  get #full(): boolean {
    return this.#items.length - this.#next >= this.#max || this.#bytes >= BUFFER_BYTES;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const backoff = new Backoff(100, 5000);
    while (!signal.aborted) {
      try {
        await this.#subscribe(signal, backoff);
        if (signal.aborted) return;
        throw new ServerAway('EventStoreDB ended a subscription');
      } catch (error) {
        this.#live = false;
        const madeUp = await isMadeUp(this.#parts.connection, error, this.#last, 'forwards', LOOK_MS);
        const fault = madeUp ? invalidPosition() : asKnowledgeError(error, 'following the log');
        if (madeUp || (!isTransient(error) && !fault.retryable)) return this.#fail(fault);
        this.#parts.onFault(fault);
      }
      await backoff.pause(signal);
    }
  }

  #fail(fault: KnowledgeError): void {
    this.#error = fault;
    this.#onItem();
  }

  async #subscribe(signal: AbortSignal, backoff: Backoff): Promise<void> {
    const { connection, head } = this.#parts;
    // Known to be on the log before the subscription starts, so the subscription reads it first.
    const headBefore = head.known;
    for await (const messages of serverRead(connection, allSubscription(this.#last, this.#regex), { signal })) {
      for (const message of messages) {
        this.#lastMessageAt = Date.now();
        if (message.hasConfirmation()) continue;
        backoff.reset();
        this.#receive(message, headBefore);
        if (this.#full) await this.#room();
        if (signal.aborted) return;
      }
    }
  }

  #receive(message: ReadResp, headBefore: Position): void {
    const event = message.getEvent();
    if (event !== undefined) return this.#receiveEvent(event);
    const checkpoint = message.getCheckpoint();
    if (checkpoint !== undefined) {
      const pair = { commit: BigInt(checkpoint.getCommitPosition()), prepare: BigInt(checkpoint.getPreparePosition()) };
      if (isExpressible(pair)) this.#mark(positionOf(pair), this.#live);
    } else if (message.hasCaughtUp()) {
      this.#live = true;
      this.#mark(laterOf(this.#last, headBefore), true);
    }
  }

  #receiveEvent(message: ReadResp.ReadEvent): void {
    const event = decodeEvent(this.#parts.namespace, message);
    if (event.position <= this.#last) return;
    this.#last = event.position;
    const bytes = sizeOfEvent(message);
    this.#bytes += bytes;
    this.#items.push({ event, bytes });
    this.#parts.head.advance(event.position);
    this.#onItem();
  }

  #mark(upTo: Position, live: boolean): void {
    if (upTo > this.#last) this.#last = upTo;
    this.#items.push({ upTo, live });
    this.#onItem();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#roomMade = () => {
        this.#roomMade = undefined;
        resolve();
      };
      if (this.#stop.signal.aborted) this.#roomMade();
    });
  }
}
