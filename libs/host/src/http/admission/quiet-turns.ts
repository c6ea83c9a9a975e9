import type { Later } from './admission.ts';

/** Turns without work cost some 20 µs each; so many at most lie between two requests. */
const MOST_TURNS = 64;

/**
 * Finds turns of the event loop in which nobody came. A turn takes in one new connection, and what lies in those that are there: work
 * that began in each turn would let connections in as slowly as work is done, and the others would wait where nobody can
 * refuse them.
 */
export class QuietTurns {
  #arrivals = 0;
  readonly #nextTurn: Later;

  constructor(nextTurn: Later = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** Somebody came: a connection, or a request over one. */
  arrived(): void {
    this.#arrivals++;
  }

  /** Runs work once a turn has passed in which nobody came, or after 64. */
  readonly later: Later = (work) => {
    let turns = 0;
    let seen = -1;
    const turn = (): void => {
      if (this.#arrivals === seen || turns === MOST_TURNS) {
        work();
        return;
      }
      turns++;
      seen = this.#arrivals;
      this.#nextTurn(turn);
    };
    this.#nextTurn(turn);
  };
}
