import { Corrupt } from '@palimpsest/knowledge/errors';

/** The bytes that `count` numbers of `bits` bits need. */
export const packedLength = (count: number, bits: number): number => Math.ceil((count * bits) / 8);

/** Writes numbers of `bits` bits (at most 8) to `target`, the lowest bits first; the rest of the last byte is 0. */
export const pack = (numbers: Uint8Array, bits: number, target: Uint8Array): void => {
  let [waiting, held, at] = [0, 0, 0];
  for (const number of numbers) {
    waiting |= number << held;
    held += bits;
    if (held >= 8) {
      target[at++] = waiting & 255;
      waiting >>= 8;
      held -= 8;
    }
  }
  if (held > 0) target[at] = waiting;
};

/** Reads what `pack` wrote. @throws Corrupt when the rest of the last byte is not 0: the same numbers always have the same bytes */
export const unpack = (source: Uint8Array, count: number, bits: number): Uint8Array => {
  const numbers = new Uint8Array(count);
  const mask = 2 ** bits - 1;
  let [waiting, held, at] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    if (held < bits) {
      waiting |= (source[at++] ?? 0) << held;
      held += 8;
    }
    numbers[i] = waiting & mask;
    waiting >>= bits;
    held -= bits;
  }
  if (waiting !== 0) throw new Corrupt('the code of a vector has bits after its last value');
  return numbers;
};
