/** Ids of a topic that were published, or are on their way; the oldest are forgotten. */
export class PublishedIds {
  readonly #sent = new Map<string, Promise<void>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** An id that a partition was found to hold. */
  seen(id: string): void {
    if (!this.#sent.has(id)) this.#note(id, Promise.resolve());
  }

  /** Publishes unless that was done already or is being done; an id whose publishing failed may come again. */
  once(id: string, publish: () => Promise<void>): Promise<void> {
    const known = this.#sent.get(id);
    if (known !== undefined) return known;
    const sent = publish();
    this.#note(id, sent);
    sent.catch(() => this.#sent.delete(id));
    return sent;
  }

  #note(id: string, sent: Promise<void>): void {
    this.#sent.set(id, sent);
    if (this.#sent.size > this.#most) for (const oldest of this.#sent.keys()) return void this.#sent.delete(oldest);
  }
}
