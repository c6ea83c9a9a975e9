/** Where an event lies. `stream` is the name as the caller gives it. */
export type Place = Readonly<{ stream: string; revision: number }>;

/**
 * Where the last events of this log object lie, by id. The server compares ids only at the place that an exact revision names;
 * whether an event was recorded elsewhere, nobody but this window can tell (the server's own one, of the same kind, serves
 * appends without a revision).
 */
export class RecentIds {
  readonly #most: number;
  readonly #places = new Map<string, Place>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one of these is known to lie elsewhere than at `stream`, from `first` on. */
  liesElsewhere(ids: readonly string[], stream: string, first: number): boolean {
    return ids.some((id, index) => {
      const place = this.#places.get(id);
      return place !== undefined && (place.stream !== stream || place.revision !== first + index);
    });
  }

  add(ids: readonly string[], stream: string, first: number): void {
    for (const [index, id] of ids.entries()) {
      this.#places.delete(id); // so that it counts as the youngest
      this.#places.set(id, { stream, revision: first + index });
    }
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= this.#most) return;
      this.#places.delete(oldest);
    }
  }
}
