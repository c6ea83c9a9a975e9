/** The place of an event. `stream` is the name that the caller uses. */
export type Place = Readonly<{ stream: string; revision: number }>;

/**
 * The places of the last events of this log object, by id. The server compares ids only at an exact expected revision. Only this
 * window can find out whether an event was recorded elsewhere (the server has a similar window, but only for appends without a
 * revision).
 */
export class RecentIds {
  readonly #max: number;
  readonly #places = new Map<string, Place>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether one of these is known to be stored elsewhere than in `stream` from revision `first` on. */
  isElsewhere(ids: readonly string[], stream: string, first: number): boolean {
    return ids.some((id, index) => {
      const place = this.#places.get(id);
      return place !== undefined && (place.stream !== stream || place.revision !== first + index);
    });
  }

  add(ids: readonly string[], stream: string, first: number): void {
    for (const [index, id] of ids.entries()) {
      this.#places.delete(id); // so that it becomes the newest
      this.#places.set(id, { stream, revision: first + index });
    }
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= this.#max) return;
      this.#places.delete(oldest);
    }
  }
}
