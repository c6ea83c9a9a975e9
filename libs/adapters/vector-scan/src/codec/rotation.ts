import type { SeededRandom } from '@palimpsest/foundation';

/** After three, the values of a single axis are distributed like those of any other vector (see the spec). */
const ROUNDS = 3;

/** `order`: value i comes from `order[i]`. `factors`: 1 or -1, divided by what the transform of its block multiplies lengths with. */
type Round = Readonly<{ order: Uint32Array; factors: Float64Array }>;

/**
 * A pseudo-random rotation of vectors: orthogonal, and as fast as a Fourier transform. Each round shuffles the values, changes signs,
 * and applies the Walsh-Hadamard transform to blocks (N. Ailon and B. Chazelle, "The fast Johnson-Lindenstrauss transform", 2009).
 *
 * The transform needs a power of two. Blocks of 256 and 128 for 384 dimensions keep 384 values, where padding would store 512, a third
 * more in every code. The shuffles mix the blocks.
 */
export class Rotation {
  readonly #rounds: readonly Round[];
  readonly #blocks: readonly number[];
  readonly #scratch: Float64Array;

  constructor(dimensions: number, random: SeededRandom) {
    this.#blocks = blocksOf(dimensions);
    this.#scratch = new Float64Array(dimensions);
    const lengths = this.#blocks.flatMap((size) => Array.from({ length: size }, () => Math.sqrt(size)));
    this.#rounds = Array.from({ length: ROUNDS }, () => ({
      order: shuffledOrder(dimensions, random),
      factors: Float64Array.from(lengths, (length) => (random.uint32() < 2 ** 31 ? 1 : -1) / length),
    }));
  }

  /** Changes `values`. */
  apply(values: Float64Array): void {
    for (const { order, factors } of this.#rounds) {
      const scratch = this.#scratch;
      scratch.set(values);
      for (let i = 0; i < values.length; i++) values[i] = (scratch[order[i] ?? 0] ?? 0) * (factors[i] ?? 0);
      this.#transform(values);
    }
  }

  /** Changes `values` back. */
  undo(values: Float64Array): void {
    for (const { order, factors } of this.#rounds.toReversed()) {
      const scratch = this.#scratch;
      scratch.set(values);
      this.#transform(scratch);
      for (let i = 0; i < values.length; i++) values[order[i] ?? 0] = (scratch[i] ?? 0) * (factors[i] ?? 0);
    }
  }

  #transform(values: Float64Array): void {
    let at = 0;
    for (const size of this.#blocks) {
      walshHadamard(values, at, size);
      at += size;
    }
  }
}

/** The powers of two whose sum it is, largest first. */
const blocksOf = (dimensions: number): readonly number[] =>
  Array.from({ length: 32 }, (_, i) => 2 ** (31 - i)).filter((size) => Math.floor(dimensions / size) % 2 === 1);

const shuffledOrder = (count: number, random: SeededRandom): Uint32Array => {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = Math.floor(random.next() * (i + 1));
    [order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0];
  }
  return order;
};

/** Of `size` values from `start`, in place; `size` is a power of two. Applied twice, it multiplies them by `size`. */
const walshHadamard = (values: Float64Array, start: number, size: number): void => {
  for (let step = 1; step < size; step *= 2)
    for (let block = start; block < start + size; block += 2 * step)
      for (let i = block; i < block + step; i++) {
        const a = values[i] ?? 0;
        const b = values[i + step] ?? 0;
        values[i] = a + b;
        values[i + step] = a - b;
      }
};
