/** Taken entries are removed only once there are this many, so that a long line is not copied at each turn. */
const COMPACT_AT = 1_024;

/** `left`: entries that may still be taken in this turn; 0 when it is not the line's turn. */
type Line<T> = { entries: T[]; taken: number; left: number };

/**
 * One first-in, first-out line for each owner. The owners take turns; in a turn, as many entries are taken as the owner's weight. A
 * served owner goes behind all others that wait, and so does a new one: however long one line is, the first entry of another owner
 * waits for at most one turn of each owner.
 */
export class FairQueue<T> {
  readonly #weightOf: (owner: string) => number;
  /** In the order of the turns: a map keeps its keys in insertion order. Contains no empty lines. */
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;

  /** `weightOf`: an integer of at least 1, read when a turn begins. */
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

  /** Takes at most `max` entries, in the order of the turns. The next call continues an unfinished turn. */
  take(max: number): readonly T[] {
    const taken: T[] = [];
    // An owner that is moved behind the others meanwhile is reached again at the end of the same loop.
    for (const [owner, line] of this.#lines) {
      if (taken.length >= max) break;
      if (line.left === 0) line.left = Math.max(1, this.#weightOf(owner));
      const entries = line.entries.slice(line.taken, line.taken + Math.min(line.left, max - taken.length));
      taken.push(...entries);
      this.#moveOn(owner, line, entries.length);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** The first entry of each line. */
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
    if (line.taken >= COMPACT_AT && line.taken * 2 >= line.entries.length) {
      line.entries.splice(0, line.taken);
      line.taken = 0;
    }
    this.#lines.set(owner, line);
  }
}
