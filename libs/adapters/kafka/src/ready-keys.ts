import type { Entry, KeyQueue, PartitionWork } from './partition-work.ts';

/** Messages to be handled together. `noted`: it is already committed that they are tried. */
export type Taken = Readonly<{ entries: readonly Entry[]; noted: boolean }>;

/** The keys whose first message may be handled, in the order in which they became ready. */
export class ReadyKeys {
  readonly #fresh = new Set<KeyQueue>();
  /** Keys whose first message is committed as tried. */
  readonly #noted = new Set<KeyQueue>();

  offer(queue: KeyQueue): void {
    this.#fresh.add(queue);
  }

  /** The number of noted keys, or of all ready keys. */
  count(onlyNoted: boolean): number {
    return this.#noted.size + (onlyNoted ? 0 : this.#fresh.size);
  }

  /** Up to `max` messages, each with another key. */
  take(max: number, onlyNoted: boolean): Taken {
    const entries: Entry[] = [];
    takeFrom(this.#noted, max, entries);
    const noted = entries.length;
    if (!onlyNoted) takeFrom(this.#fresh, max, entries);
    return { entries, noted: entries.length === noted };
  }

  /**
   * Marks further keys as tried, until `max` are or the room in a commit's metadata might run out. The returned function must be
   * called when that is committed.
   */
  note(max: number): () => void {
    const noting: Entry[] = [];
    const rooms = new Map<PartitionWork, { left: number; next: number }>();
    for (const {
      entries: [first],
      work,
    } of this.#fresh) {
      if (this.#noted.size + noting.length >= max) break;
      if (first === undefined || isHeldBack(first)) continue;
      const room = rooms.get(work) ?? { left: work.roomToNote, next: -1 };
      rooms.set(work, room);
      // a run of equal states needs no more room as it grows
      if (first.offset !== room.next && (room.left -= 1) < 0) continue;
      room.next = first.offset + 1;
      work.ledger.progress(first.offset).trying = true;
      work.ledger.changed();
      noting.push(first);
    }
    return () => {
      for (const entry of noting) this.#committed(entry);
    };
  }

  /** No key is marked as tried any more. */
  clear(): void {
    for (const ready of [this.#fresh, this.#noted]) {
      for (const {
        entries: [first],
        work,
      } of ready)
        if (first !== undefined) work.ledger.progress(first.offset).trying = false;
      ready.clear();
    }
  }

  /** Has no effect if it was taken, or even returned, during the commit. */
  #committed(entry: Entry): void {
    const { queue, offset } = entry;
    if (queue.entries[0] !== entry || !queue.work.ledger.progress(offset).trying || !this.#fresh.delete(queue)) return;
    this.#noted.add(queue);
  }
}

const takeFrom = (ready: Set<KeyQueue>, max: number, entries: Entry[]): void => {
  for (const queue of ready) {
    if (entries.length >= max) return;
    const [first] = queue.entries;
    if (first === undefined || isHeldBack(first)) continue;
    ready.delete(queue);
    entries.push(first);
  }
};

/** If little room is left in the metadata, only the lowest message continues. */
const isHeldBack = ({ queue: { work }, offset }: Entry): boolean => work.crowded && offset !== work.ledger.low;
