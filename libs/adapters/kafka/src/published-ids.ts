import { IdWindow } from './id-window.ts';

/** Ids of a topic that were published or are being published; the oldest are forgotten. */
export class PublishedIds {
  readonly #sent: IdWindow<Promise<void>>;

  constructor(max: number) {
    this.#sent = new IdWindow(max);
  }

  /** Notes an id that was found in a partition. */
  seen(id: string): void {
    if (this.#sent.get(id) === undefined) this.#sent.note(id, STORED);
  }

  /**
   * Publishes the messages that were not published and are not being published. Ids whose publishing failed may be published again.
   * Returns the promises to wait for: many messages share one.
   */
  once<M extends Readonly<{ id: string }>>(
    messages: readonly M[],
    publish: (message: M, i: number) => Promise<void>,
  ): ReadonlySet<Promise<void>> {
    const all = new Set<Promise<void>>();
    const started = new Map<Promise<void>, string[]>();
    for (const [i, message] of messages.entries()) {
      const known = this.#sent.get(message.id);
      const sent = known ?? publish(message, i);
      all.add(sent);
      if (known !== undefined) continue;
      this.#sent.note(message.id, sent);
      const ids = started.get(sent);
      if (ids === undefined) started.set(sent, [message.id]);
      else ids.push(message.id);
    }
    for (const [sent, ids] of started) sent.catch(() => this.#forget(ids, sent));
    return all;
  }

  #forget(ids: readonly string[], failed: Promise<void>): void {
    for (const id of ids) if (this.#sent.get(id) === failed) this.#sent.forget(id);
  }
}

const STORED = Promise.resolve();
