import type { KafkaMessage } from 'kafkajs';
import { SETTLED } from './commit-metadata.ts';
import { idOf, onlyForOf } from './message-codec.ts';
import type { PartitionLedger } from './partition-ledger.ts';
import type { RecentIds } from './recent-ids.ts';

/**
 * kafkajs checks a paused partition again after a quarter of a second: half of this must last that long.
 * Fetching pauses while this many messages wait here, or while this many offsets beyond the lowest unsettled one are known.
 */
const MAX_WAITING = 8_000;
const MAX_BYTES = 8 * 1_048_576;
const WIDEST = 40_000;
/** A partition with this much metadata (in characters) counts as crowded; Kafka accepts 4,096. */
const CROWDED = 2_800;
/** Characters that a message needs there if its neighbours have another state. */
const NOTE = 8;

/** One partition that this process holds: its fetched messages, by key, and how far it is settled. */
export class PartitionWork {
  readonly partition: number;
  readonly ledger: PartitionLedger;
  readonly keys = new Map<string, KeyQueue>();
  readonly #group: string;
  readonly #recent: RecentIds;
  /** The next expected offset. */
  position: number;
  /** Fetching is paused. */
  paused = false;
  /** Length of the last committed metadata, or of the last attempt. */
  #metadataLength = 0;
  #waiting = 0;
  #bytes = 0;

  constructor(partition: number, group: string, ledger: PartitionLedger, recent: RecentIds) {
    this.partition = partition;
    this.#group = group;
    this.ledger = ledger;
    this.#recent = recent;
    this.position = ledger.low;
  }

  /** The known states, for the commit. */
  metadata(now: number): string {
    const metadata = this.ledger.metadata(now);
    this.#metadataLength = metadata.length;
    return metadata;
  }

  /** Little room is left in the metadata: only the lowest message is handled. */
  get crowded(): boolean {
    return this.#metadataLength > CROWDED;
  }

  /** How many further messages, at any offset, may be marked as tried before that is committed; at least one. */
  get roomToNote(): number {
    return Math.max(1, Math.floor((CROWDED - this.#metadataLength) / NOTE));
  }

  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING || this.#bytes >= MAX_BYTES || this.ledger.end - this.ledger.low >= WIDEST;
  }

  get hasRoom(): boolean {
    return this.#waiting < MAX_WAITING / 2 && this.#bytes < MAX_BYTES / 2 && this.ledger.end - this.ledger.low < WIDEST / 2;
  }

  /** Takes fetched messages. Returns the keys that had none before. */
  intake(messages: readonly KafkaMessage[]): readonly KeyQueue[] {
    const woken: KeyQueue[] = [];
    for (const message of messages) {
      const offset = Number(message.offset);
      if (offset < this.position) continue;
      // offsets in between have no message
      for (let gap = this.position; gap < offset; gap += 1) this.ledger.settle(gap);
      this.position = offset + 1;
      const id = idOf(message);
      if (!this.#isWanted(message, id, offset)) this.ledger.settle(offset);
      else if (this.ledger.at(offset) !== SETTLED) this.#add(message, id, offset, woken);
    }
    return woken;
  }

  /** The first message of its key is settled. */
  drop({ queue, bytes }: Entry): void {
    queue.entries.shift();
    if (queue.entries.length === 0) this.keys.delete(queue.key);
    this.#waiting -= 1;
    this.#bytes -= bytes;
  }

  #isWanted(message: KafkaMessage, id: string, offset: number): boolean {
    const onlyFor = onlyForOf(message);
    return onlyFor === undefined ? !this.#recent.isRepeated(id, offset) : onlyFor === this.#group;
  }

  #add(message: KafkaMessage, id: string, offset: number, woken: KeyQueue[]): void {
    const key = message.key?.toString() ?? '';
    let queue = this.keys.get(key);
    if (queue === undefined) this.keys.set(key, (queue = new KeyQueue(key, this)));
    const bytes = (message.value?.length ?? 0) + 200;
    if (queue.entries.push({ queue, message, id, offset, bytes }) === 1) woken.push(queue);
    this.#waiting += 1;
    this.#bytes += bytes;
  }
}

/** A fetched message that is not settled. */
export type Entry = Readonly<{ queue: KeyQueue; message: KafkaMessage; id: string; offset: number; bytes: number }>;

/** The maximum delay of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The messages of one key, oldest first; the first one is ready, being handled, or waiting for its retry. */
export class KeyQueue {
  readonly key: string;
  readonly work: PartitionWork;
  readonly entries: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(key: string, work: PartitionWork) {
    this.key = key;
    this.work = work;
  }

  /** Calls `ready` when the first message may be handled: now, or after its delay. */
  whenReady(ready: (queue: KeyQueue) => void): void {
    const [first] = this.entries;
    if (first === undefined) return;
    const state = this.work.ledger.at(first.offset);
    const wait = typeof state === 'object' ? state.notBefore - Date.now() : 0;
    if (wait <= 0) ready(this);
    else this.#timer = setTimeout(() => this.whenReady(ready), Math.min(wait, LONGEST_TIMER_MS));
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
