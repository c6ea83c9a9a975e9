import { encodeStates, SETTLED, type OffsetState, type Progress } from './commit-metadata.ts';

/** Forgotten places at the front are cut off when there are so many. */
const CUT_AT = 1_024;

/** What is known of the offsets of one partition, from the lowest one on that is not settled. */
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

  /** The lowest offset that is not settled: what is committed. */
  get low(): number {
    return this.#low;
  }

  /** Nothing is known of offsets from here on. */
  get end(): number {
    return this.#low + this.#states.length - this.#head;
  }

  /** Grows with every change, so that a commit knows what it has written. */
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

  /** Settles what is not settled from `low` up to, not with, `offset`: those messages are no longer kept. */
  settleUpTo(offset: number): void {
    if (offset <= this.#low) return;
    this.#states = this.#states.slice(this.#head + offset - this.#low);
    this.#head = 0;
    this.#low = offset;
    this.#passSettled();
    this.changed();
  }

  /** To be changed in place, and then told with `changed`. */
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
    if (this.#head < CUT_AT && this.#head < this.#states.length) return;
    this.#states = this.#states.slice(this.#head);
    this.#head = 0;
  }
}
