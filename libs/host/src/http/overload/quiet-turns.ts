import type { Later } from './door.ts';

/** Of the time that the work before took: so much may go into taking in, or refusing, who has come meanwhile. */
const SHARE = 0.08;
const AT_LEAST_MS = 1;

/**
 * Finds turns of the event loop in which nobody came. A turn takes in one new connection, and what lies in those that are there: work
 * that began in each turn would let connections in as slowly as work is done, and the others would wait where nobody can
 * refuse them. Where more come than can be refused in a share of the time, work goes on all the same.
 */
export class QuietTurns {
  #arrivals = 0;
  readonly #nextTurn: Later;
  readonly #now: () => number;

  constructor(nextTurn: Later = setImmediate, now: () => number = () => performance.now()) {
    this.#nextTurn = nextTurn;
    this.#now = now;
  }

  /** Somebody came: a connection, or a request over one. */
  arrived(): void {
    this.#arrivals++;
  }

  /** Runs work once a turn has passed in which nobody came, or after its share of time. Asked right when the work before begins. */
  readonly later: Later = (work) => {
    const asked = this.#now();
    let until: number | undefined;
    let seen = -1;
    const turn = (): void => {
      const now = this.#now();
      // What was begun has held the event loop until here.
      until ??= now + Math.max(AT_LEAST_MS, (now - asked) * SHARE);
      if (this.#arrivals === seen || now >= until) {
        work();
        return;
      }
      seen = this.#arrivals;
      this.#nextTurn(turn);
    };
    this.#nextTurn(turn);
  };
}
