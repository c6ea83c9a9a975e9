import { createHash } from 'node:crypto';

/** Lines kept for a failure report. All lines are hashed. */
const KEPT = 4_000;

/** Everything that happened, in order. Two runs are the same if their digests are equal. */
export class Trace {
  readonly #hash = createHash('sha256');
  #last: string[] = [];
  lines = 0;

  add(line: string): void {
    this.#hash.update(line).update('\n');
    this.lines++;
    this.#last.push(line);
    if (this.#last.length > 2 * KEPT) this.#last = this.#last.slice(-KEPT);
  }

  /** SHA-256 of all lines, in hexadecimal. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  last(count: number): readonly string[] {
    return this.#last.slice(-count);
  }
}
