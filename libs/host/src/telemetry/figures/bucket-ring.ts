import { Bucket } from './bucket.ts';

/** The last stretches of time, so many of them and no more; those in which nothing happened are made when they are asked for. */
export class BucketRing {
  readonly widthMs: number;
  readonly #count: number;
  readonly #now: () => number;
  #buckets: Bucket[] = [];

  /** `now`: Unix ms. */
  constructor(widthMs: number, count: number, now: () => number) {
    this.widthMs = widthMs;
    this.#count = count;
    this.#now = now;
  }

  /** The one that is being filled. */
  current(): Bucket {
    const at = this.#begin(this.#now());
    const last = this.#buckets.at(-1);
    // A clock that was put back goes on filling the latest: time only moves on here.
    if (last && last.at >= at) return last;
    const made = new Bucket(at);
    this.#buckets.push(made);
    this.#forget(at);
    return made;
  }

  /** All of them, the oldest first, the one that is being filled last. */
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
