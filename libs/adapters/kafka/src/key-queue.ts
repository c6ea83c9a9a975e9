import type { KafkaMessage } from 'kafkajs';
import type { PartitionLedger } from './partition-ledger.ts';

/** Where a key lies, and what is known of its messages. */
type Place = Readonly<{ partition: number; ledger: PartitionLedger }>;

/** A fetched message that is not settled. */
export type Entry = Readonly<{ queue: KeyQueue; message: KafkaMessage; id: string; offset: number; bytes: number }>;

/** The longest that a timer can be set for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The messages of one key, oldest first; the first one is ready, being handled, or waiting for its retry. */
export class KeyQueue {
  readonly key: string;
  readonly work: Place;
  readonly entries: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(key: string, work: Place) {
    this.key = key;
    this.work = work;
  }

  /** Calls when the first one may be handed out: now, or when its delay is over. */
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
