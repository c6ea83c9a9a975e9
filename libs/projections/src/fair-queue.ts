/** Taken entries are cut off once there are so many of them, so that a long line costs no copying at each turn. */
const CUT_AT = 1_024;

/** `left`: entries that it may still take in its turn; 0 while it is not its turn. */
type Line<T> = { entries: T[]; taken: number; left: number };

/**
 * One line for each owner, first in, first out; the owners take turns, each as many entries as it weighs. Who was served goes
 * behind all others that wait, as does who comes new: however long one line is, the first of another is at most one turn of each
 * owner away.
 */
export class FairQueue<T> {
  readonly #weightOf: (owner: string) => number;
  /** In the order of the turns: a map keeps its keys in the order in which they were put. Holds no empty line. */
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;

  /** `weightOf`: a whole number of at least 1, asked when a turn begins. */
  constructor(weightOf: (owner: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  add(owner: string, entry: T): void {
    const line = this.#lines.get(owner);
    if (line) line.entries.push(entry);
    else this.#lines.set(owner, { entries: [entry], taken: 0, left: 0 });
    this.#size++;
  }

  /** Takes at most so many out, in the order of the turns. A turn that is cut short is gone on with the next time. */
  take(most: number): readonly T[] {
    const taken: T[] = [];
    // Who is put behind the others meanwhile is met again at the end of the same round.
    for (const [owner, line] of this.#lines) {
      if (taken.length >= most) break;
      if (line.left === 0) line.left = Math.max(1, this.#weightOf(owner));
      const entries = line.entries.slice(line.taken, line.taken + Math.min(line.left, most - taken.length));
      taken.push(...entries);
      this.#moveOn(owner, line, entries.length);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** The first of each line. */
  *heads(): Iterable<T> {
    for (const { entries, taken } of this.#lines.values()) yield* entries.slice(taken, taken + 1);
  }

  #moveOn(owner: string, line: Line<T>, served: number): void {
    line.taken += served;
    line.left -= served;
    const isEmpty = line.taken === line.entries.length;
    if (isEmpty) line.left = 0;
    if (line.left > 0) return;
    this.#lines.delete(owner);
    if (isEmpty) return;
    if (line.taken >= CUT_AT && line.taken * 2 >= line.entries.length) {
      line.entries.splice(0, line.taken);
      line.taken = 0;
    }
    this.#lines.set(owner, line);
  }
}
