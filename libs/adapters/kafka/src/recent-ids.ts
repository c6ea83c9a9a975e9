/** The ids of the latest messages of a partition and where each stood first, to recognise one that was published again. */
export class RecentIds {
  readonly #offsets = new Map<string, number>();
  readonly #most: number;
  /** Ids of all messages before this offset, as far back as it goes, were noted. */
  upTo = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether this id stood at an earlier offset already. Notes it otherwise. */
  isRepeated(id: string, offset: number): boolean {
    this.upTo = Math.max(this.upTo, offset + 1);
    const first = this.#offsets.get(id);
    if (first !== undefined && first < offset) return true;
    if (first === undefined) this.#offsets.set(id, offset);
    if (this.#offsets.size > this.#most) for (const oldest of this.#offsets.keys()) return (this.#offsets.delete(oldest), false);
    return false;
  }
}
