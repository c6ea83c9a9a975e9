import { SeededRandom } from '@palimpsest/foundation';

/** What a simulated run draws: the same seed gives the same numbers everywhere. Not for secrets. */
export class Prng extends SeededRandom {
  /** A whole number from `min` to `max`, both inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Another source. Draws from it do not change what this one draws later. */
  fork(): Prng {
    return new Prng(Math.floor(this.next() * 2 ** 32));
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.int(0, 255)));
  }

  /** A UUID of version 4. */
  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}
