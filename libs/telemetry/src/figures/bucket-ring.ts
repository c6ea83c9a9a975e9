import { Bucket } from './bucket.ts';

/** A fixed number of buckets for the most recent intervals. Empty buckets are created on demand. */
export class BucketRing {
  readonly widthMs: number;
  readonly #count: number;
  readonly #now: () => number;
  #buckets: Bucket[] = [];

  /** `now` returns Unix milliseconds. */
  constructor(widthMs: number, count: number, now: () => number) {
    this.widthMs = widthMs;
    this.#count = count;
    this.#now = now;
  }

  /** The bucket that is being filled. */
  current(): Bucket {
    const at = this.#begin(this.#now());
    const last = this.#buckets.at(-1);
    // If the clock was set back, the latest bucket is still filled.
    if (last && last.at >= at) return last;
    const made = new Bucket(at);
    this.#buckets.push(made);
    this.#forget(at);
    return made;
  }

  /** All buckets, oldest first; the last one is being filled. */
  all(): readonly Bucket[] {
    const last = this.current().at;
    const known = new Map(this.#buckets.map((bucket) => [bucket.at, bucket]));
    return Array.from({ length: this.#count }, (_, i) => {
      const at = last - (this.#count - 1 - i) * this.widthMs;
      return known.get(at) ?? new Bucket(at);
    });
  }

  #begin(time: number): number {
    return Math.floor(time / this.widthMs) * this.widthMs;
  }

  #forget(last: number): void {
    const oldest = last - (this.#count - 1) * this.widthMs;
    if ((this.#buckets[0]?.at ?? oldest) < oldest) this.#buckets = this.#buckets.filter(({ at }) => at >= oldest);
  }
}
