import { encodeStates, SETTLED, type OffsetState, type Progress } from './commit-metadata.ts';

/** Settled entries at the front are removed when there are this many. */
const COMPACT_AT = 1_024;

/** The known states of the offsets of one partition, from the lowest unsettled one on. */
export class PartitionLedger {
  #low: number;
  #states: OffsetState[];
  #head = 0;
  #changes = 0;

  constructor(low: number, states: readonly OffsetState[] = []) {
    this.#low = low;
    this.#states = [...states];
    this.#passSettled();
  }

  /** The lowest unsettled offset: the one that is committed. */
  get low(): number {
    return this.#low;
  }

  /** No states are known from this offset on. */
  get end(): number {
    return this.#low + this.#states.length - this.#head;
  }

  /** Increases with every change, so that a commit knows which changes it has written. */
  get changes(): number {
    return this.#changes;
  }

  at(offset: number): OffsetState {
    return offset < this.#low ? SETTLED : this.#states[this.#head + offset - this.#low];
  }

  settle(offset: number): void {
    if (offset < this.#low) return;
    this.#states[this.#reach(offset)] = SETTLED;
    this.#passSettled();
    this.changed();
  }

  /** Settles every offset from `low` to `offset` (exclusive): those messages are no longer kept. */
  settleUpTo(offset: number): void {
    if (offset <= this.#low) return;
    this.#states = this.#states.slice(this.#head + offset - this.#low);
    this.#head = 0;
    this.#low = offset;
    this.#passSettled();
    this.changed();
  }

  /** The caller changes it in place and then calls `changed`. */
  progress(offset: number): Progress {
    const known = this.at(offset);
    if (typeof known === 'object') return known;
    const progress: Progress = { failures: 0, lost: 0, notBefore: 0, trying: false };
    this.#states[this.#reach(offset)] = progress;
    return progress;
  }

  changed(): void {
    this.#changes += 1;
  }

  metadata(now: number): string {
    return encodeStates(this.#known(), now);
  }

  *#known(): Generator<OffsetState> {
    for (let i = this.#head; i < this.#states.length; i += 1) yield this.#states[i];
  }

  #reach(offset: number): number {
    const index = this.#head + offset - this.#low;
    while (this.#states.length < index) this.#states.push(undefined);
    return index;
  }

  #passSettled(): void {
    while (this.#states[this.#head] === SETTLED) {
      this.#head += 1;
      this.#low += 1;
    }
    if (this.#head < COMPACT_AT && this.#head < this.#states.length) return;
    this.#states = this.#states.slice(this.#head);
    this.#head = 0;
  }
}
