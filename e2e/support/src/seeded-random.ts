import { SeededRandom as Numbers } from '@palimpsest/foundation';

/** Random choices that depend only on the seed, so that a failed run can be repeated. */
export class SeededRandom extends Numbers {
  /** At least `min`, less than `max`. */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** @throws RangeError for an empty list */
  oneOf<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.next() * list.length)];
    if (chosen === undefined) throw new RangeError('cannot choose from an empty list');
    return chosen;
  }

  /** The list in random order (Fisher and Yates). */
  shuffled<T>(list: readonly T[]): readonly T[] {
    const left = [...list];
    const order: T[] = [];
    while (left.length > 0) order.push(...left.splice(Math.floor(this.next() * left.length), 1));
    return order;
  }

  /** An independent generator: its numbers do not depend on how many are drawn from this one later. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 2 ** 32));
  }
}
