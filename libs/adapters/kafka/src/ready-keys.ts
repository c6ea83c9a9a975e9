import type { Entry, KeyQueue, PartitionWork } from './partition-work.ts';

/** Messages to be handled together. `noted`: it is committed already that they are tried. */
export type Taken = Readonly<{ entries: readonly Entry[]; noted: boolean }>;

/** The keys whose first message may be handed out, the longest ready first. */
export class ReadyKeys {
  readonly #fresh = new Set<KeyQueue>();
  /** Of whose first message it is committed that it is tried. */
  readonly #noted = new Set<KeyQueue>();

  offer(queue: KeyQueue): void {
    this.#fresh.add(queue);
  }

  /** How many keys are noted, or ready at all. */
  count(onlyNoted: boolean): number {
    return this.#noted.size + (onlyNoted ? 0 : this.#fresh.size);
  }

  /** At most so many messages, each of another key. */
  take(most: number, onlyNoted: boolean): Taken {
    const entries: Entry[] = [];
    takeFrom(this.#noted, most, entries);
    const noted = entries.length;
    if (!onlyNoted) takeFrom(this.#fresh, most, entries);
    return { entries, noted: entries.length === noted };
  }

  /**
   * Notes more of them as tried, until `most` are or the room in a commit's metadata might run out. What it answers is to be
   * called when that is committed.
   */
  note(most: number): () => void {
    const noting: Entry[] = [];
    const rooms = new Map<PartitionWork, { left: number; next: number }>();
    for (const { entries: [first], work } of this.#fresh) {
      if (this.#noted.size + noting.length >= most) break;
      if (first === undefined || isHeldBack(first)) continue;
      const room = rooms.get(work) ?? { left: work.roomToNote, next: -1 };
      rooms.set(work, room);
      // a run of equal states takes no more room the longer it gets
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

  /** None is tried any more. */
  clear(): void {
    for (const ready of [this.#fresh, this.#noted]) {
      for (const { entries: [first], work } of ready) if (first !== undefined) work.ledger.progress(first.offset).trying = false;
      ready.clear();
    }
  }

  /** Unless it was taken, or even given back, while the commit was under way. */
  #committed(entry: Entry): void {
    const { queue, offset } = entry;
    if (queue.entries[0] !== entry || !queue.work.ledger.progress(offset).trying || !this.#fresh.delete(queue)) return;
    this.#noted.add(queue);
  }
}

const takeFrom = (ready: Set<KeyQueue>, most: number, entries: Entry[]): void => {
  for (const queue of ready) {
    if (entries.length >= most) return;
    const [first] = queue.entries;
    if (first === undefined || isHeldBack(first)) continue;
    ready.delete(queue);
    entries.push(first);
  }
};

/** Where little room is left for what is to be committed, only the lowest message goes on. */
const isHeldBack = ({ queue: { work }, offset }: Entry): boolean => work.crowded && offset !== work.ledger.low;
