/** Of one kind of work. */
export type DoorLimit = Readonly<{
  /** Requests worked on at the same time. */
  atOnce: number;
  /** Requests that may wait for their turn. */
  waiting: number;
  /** Bytes of bodies that are taken in at the same time, told or feared. */
  bytes: number;
}>;

export type Refusal = Readonly<{ reason: string; retryAfterSeconds: number }>;
export type Admitted = Readonly<{ /** Once, when the work is over, however it ended. */ done: () => void }>;

type Waiting = { bytes: number; enter: (admitted: Admitted) => void; refuse: (refusal: Refusal) => void; timer: NodeJS.Timeout };

const MOST_RETRY_SECONDS = 30;
/** Over how long the rate is taken by which those who are refused are told to come again, milliseconds. */
const RATE_WINDOW_MS = 5_000;
/** Of the time that a request may wait: how much of it is left once the line was never empty for that time. */
const SHARE_IN_A_CROWD = 0.1;

/** Runs something in the next turn of the event loop. */
export type Later = (work: () => void) => void;

/**
 * Lets in so many requests at a time, one in a turn of the event loop, and a short line behind them. Most of the work of a search
 * never leaves the event loop: begun as it comes, a request would be through before the next one is read, all others would wait
 * unread in their connections, for as long as it takes, and nobody could tell that there are too many. Whoever finds the line full, or waits too long, is refused at
 * once rather than kept. What would wait longer than its caller is better not begun: that is what keeps the work that is done
 * worth something under any load.
 */
export class Door {
  readonly #limit: DoorLimit;
  readonly #waitMs: number;
  readonly #line: Waiting[] = [];
  #active = 0;
  #bytes = 0;
  #doneInWindow = 0;
  #doneBefore = 0;
  #windowBegan: number;
  /** Since when somebody has been waiting without a break. */
  #crowdedSince: number | undefined;

  readonly #later: Later;
  readonly #now: () => number;
  #turnIsDue = false;

  constructor(limit: DoorLimit, waitMs: number, later: Later, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#windowBegan = now();
    this.#limit = limit;
    this.#waitMs = waitMs;
    this.#later = later;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** Calls one of the two, at once or later, and gives back what takes the request out of the line again. */
  ask(bytes: number, enter: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void): () => void {
    const counted = Math.min(bytes, this.#limit.bytes);
    const places = Math.max(0, this.#limit.atOnce - this.#active);
    if (this.#line.length >= places + this.#limit.waiting) {
      // Without numbers: how busy others keep the process is not for every caller.
      refuse(this.#refusal('too many requests of this kind are being worked on or waiting'));
      return () => undefined;
    }
    const mayWaitMs = this.#mayWaitMs();
    const timer = setTimeout(() => {
      leave();
      refuse(this.#refusal(`the request has waited ${mayWaitMs} ms for its turn, which is as long as it may`));
    }, mayWaitMs);
    const waiting: Waiting = { bytes: counted, enter, refuse, timer };
    const leave = (): void => {
      const at = this.#line.indexOf(waiting);
      clearTimeout(timer);
      if (at !== -1) this.#line.splice(at, 1);
      this.#noteCrowd();
      // Whoever stood behind one with a large body may fit where that one did not.
      this.#next();
    };
    this.#line.push(waiting);
    this.#next();
    this.#noteCrowd();
    return leave;
  }

  /**
   * A burst may wait its time. A line that was never empty for as long is no burst: more come than can be worked off, and a long line would only make
   * everybody's answer late, so those who come then wait briefly (after "Fail at Scale", Maurer, ACM Queue 13/8, and CoDel, RFC 8289).
   */
  #mayWaitMs(): number {
    const isCrowd = this.#crowdedSince !== undefined && this.#now() - this.#crowdedSince > this.#waitMs;
    return isCrowd ? Math.max(1, Math.round(this.#waitMs * SHARE_IN_A_CROWD)) : this.#waitMs;
  }

  #noteCrowd(): void {
    if (this.#line.length === 0) this.#crowdedSince = undefined;
    else this.#crowdedSince ??= this.#now();
  }

  #fits(bytes: number): boolean {
    return this.#active < this.#limit.atOnce && this.#bytes + bytes <= this.#limit.bytes;
  }

  #admit(bytes: number): Admitted {
    this.#active++;
    this.#bytes += bytes;
    let over = false;
    return {
      done: () => {
        if (over) return;
        over = true;
        this.#active--;
        this.#bytes -= bytes;
        this.#count();
        this.#next();
      },
    };
  }

  /** One in each turn of the event loop: before the next one everybody else who has come meanwhile is at least in line, or refused. */
  #next(): void {
    if (this.#turnIsDue || !this.#isNextIn()) return;
    this.#turnIsDue = true;
    this.#later(() => {
      this.#turnIsDue = false;
      const first = this.#isNextIn() ? this.#line.shift() : undefined;
      if (first === undefined) return;
      clearTimeout(first.timer);
      this.#noteCrowd();
      first.enter(this.#admit(first.bytes));
      this.#next();
    });
  }

  #isNextIn(): boolean {
    const first = this.#line[0];
    return first !== undefined && this.#fits(first.bytes);
  }

  #count(): void {
    this.#turnWindow();
    this.#doneInWindow++;
  }

  #turnWindow(): void {
    const now = this.#now();
    if (now - this.#windowBegan < RATE_WINDOW_MS) return;
    this.#doneBefore = now - this.#windowBegan < 2 * RATE_WINDOW_MS ? this.#doneInWindow : 0;
    [this.#doneInWindow, this.#windowBegan] = [0, now];
  }

  /** When all who are in and in line should be through, at the rate of late. */
  #refusal(reason: string): Refusal {
    this.#turnWindow();
    const perSecond = Math.max(this.#doneBefore, this.#doneInWindow) / (RATE_WINDOW_MS / 1000);
    const seconds = perSecond === 0 ? 1 : Math.ceil((this.#active + this.#line.length) / perSecond);
    return { reason, retryAfterSeconds: Math.min(MOST_RETRY_SECONDS, Math.max(1, seconds)) };
  }
}
