import { SYSTEM, type Cancel } from '@palimpsest/foundation';

/** Limits of one kind of work. */
export type ConcurrencyLimit = Readonly<{
  /** Maximum number of requests in progress. */
  concurrent: number;
  /** Maximum number of requests in the queue. */
  waiting: number;
  /** Maximum total size of the bodies of requests in progress; a body of unknown length counts as its maximum. */
  bytes: number;
}>;

export type Refusal = Readonly<{ reason: string; retryAfterSeconds: number }>;
export type Admitted = Readonly<{ /** To be called when the work has ended, in success or failure. */ done: () => void }>;

type QueuedRequest = { bytes: number; admit: (admitted: Admitted) => void; refuse: (refusal: Refusal) => void; endWait: Cancel };

const MAX_RETRY_SECONDS = 30;
/** The throughput that determines `retryAfterSeconds` is measured over this window, in milliseconds. */
const RATE_WINDOW_MS = 5_000;
/** Factor for the maximum wait once the queue was non-empty for the whole maximum wait. */
const OVERLOAD_WAIT_FACTOR = 0.1;

/** Runs something in the next tick of the event loop. */
export type Later = (work: () => void) => void;

/**
 * Admits a limited number of requests, at most one per tick of the event loop, and queues a limited number of others. A search does
 * most of its work on the event loop: if each request were started on arrival, it would complete before the next one is read, all
 * others would wait unread in their connections, and the server could not notice the overload. A request that finds the queue full,
 * or waits too long, is refused immediately: work that starts after its caller has left is wasted.
 */
export class ConcurrencyLimiter {
  readonly #limit: ConcurrencyLimit;
  readonly #waitMs: number;
  readonly #queue: QueuedRequest[] = [];
  #active = 0;
  #bytes = 0;
  #doneInWindow = 0;
  #doneBefore = 0;
  #windowStart: number;
  /** Since when the queue has been non-empty without interruption. */
  #nonEmptySince: number | undefined;

  readonly #later: Later;
  readonly #now: () => number;
  #admissionScheduled = false;

  constructor(limit: ConcurrencyLimit, waitMs: number, later: Later, now: () => number = () => SYSTEM.clock.elapsed()) {
    this.#now = now;
    this.#windowStart = now();
    this.#limit = limit;
    this.#waitMs = waitMs;
    this.#later = later;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Calls `admit` or `refuse`, immediately or later. Returns a function that removes the request from the queue. */
  acquire(bytes: number, admit: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void): () => void {
    const counted = Math.min(bytes, this.#limit.bytes);
    const freeSlots = Math.max(0, this.#limit.concurrent - this.#active);
    if (this.#queue.length >= freeSlots + this.#limit.waiting) {
      // Without numbers: the load that other tenants cause is not public.
      refuse(this.#refusal('too many requests of this kind are in progress or waiting'));
      return () => undefined;
    }
    const maxWaitMs = this.#maxWaitMs();
    const endWait = SYSTEM.scheduler.after(maxWaitMs, () => {
      cancel();
      refuse(this.#refusal(`the request waited ${maxWaitMs} ms in the queue, which is the limit`));
    });
    const queued: QueuedRequest = { bytes: counted, admit, refuse, endWait };
    const cancel = (): void => {
      const at = this.#queue.indexOf(queued);
      endWait();
      if (at !== -1) this.#queue.splice(at, 1);
      this.#trackNonEmpty();
      // The next request may fit if this one did not because of its large body.
      this.#scheduleAdmission();
    };
    this.#queue.push(queued);
    this.#scheduleAdmission();
    this.#trackNonEmpty();
    return cancel;
  }

  /**
   * Requests of a burst may wait for the maximum time. If the queue stays non-empty for that time, the load is not a burst but
   * exceeds the throughput: long waits would only delay every response, so new requests may wait only briefly
   * ("Fail at Scale", Maurer, ACM Queue 13/8; CoDel, RFC 8289).
   */
  #maxWaitMs(): number {
    const isOverloaded = this.#nonEmptySince !== undefined && this.#now() - this.#nonEmptySince > this.#waitMs;
    return isOverloaded ? Math.max(1, Math.round(this.#waitMs * OVERLOAD_WAIT_FACTOR)) : this.#waitMs;
  }

  #trackNonEmpty(): void {
    if (this.#queue.length === 0) this.#nonEmptySince = undefined;
    else this.#nonEmptySince ??= this.#now();
  }

  #fits(bytes: number): boolean {
    return this.#active < this.#limit.concurrent && this.#bytes + bytes <= this.#limit.bytes;
  }

  #takeSlot(bytes: number): Admitted {
    this.#active++;
    this.#bytes += bytes;
    let released = false;
    return {
      done: () => {
        if (released) return;
        released = true;
        this.#active--;
        this.#bytes -= bytes;
        this.#countDone();
        this.#scheduleAdmission();
      },
    };
  }

  /**
   * Admits one request per tick of the event loop: requests that arrived meanwhile are queued or refused before the next one is admitted.
   */
  #scheduleAdmission(): void {
    if (this.#admissionScheduled || !this.#canAdmitFirst()) return;
    this.#admissionScheduled = true;
    this.#later(() => {
      this.#admissionScheduled = false;
      const first = this.#canAdmitFirst() ? this.#queue.shift() : undefined;
      if (first === undefined) return;
      first.endWait();
      this.#trackNonEmpty();
      first.admit(this.#takeSlot(first.bytes));
      this.#scheduleAdmission();
    });
  }

  #canAdmitFirst(): boolean {
    const first = this.#queue[0];
    return first !== undefined && this.#fits(first.bytes);
  }

  #countDone(): void {
    this.#rotateWindow();
    this.#doneInWindow++;
  }

  #rotateWindow(): void {
    const now = this.#now();
    if (now - this.#windowStart < RATE_WINDOW_MS) return;
    this.#doneBefore = now - this.#windowStart < 2 * RATE_WINDOW_MS ? this.#doneInWindow : 0;
    [this.#doneInWindow, this.#windowStart] = [0, now];
  }

  /** `retryAfterSeconds`: when all requests in progress and in the queue should be done, at the recent throughput. */
  #refusal(reason: string): Refusal {
    this.#rotateWindow();
    const perSecond = Math.max(this.#doneBefore, this.#doneInWindow) / (RATE_WINDOW_MS / 1000);
    const seconds = perSecond === 0 ? 1 : Math.ceil((this.#active + this.#queue.length) / perSecond);
    return { reason, retryAfterSeconds: Math.min(MAX_RETRY_SECONDS, Math.max(1, seconds)) };
  }
}
