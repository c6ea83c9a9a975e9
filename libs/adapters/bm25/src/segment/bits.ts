/** A bit set with one bit per chunk, lowest bit first. */
export const bitsFor = (size: number): Uint8Array => new Uint8Array((size + 7) >> 3);

export const isSet = (bits: Uint8Array, at: number): boolean => (((bits[at >> 3] as number) >> (at & 7)) & 1) === 1;

export const setBit = (bits: Uint8Array, at: number): void => {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
};

/** Number of set bits. */
export const countBits = (bits: Uint8Array): number => bits.reduce((sum, byte) => sum + (BITS_IN[byte] as number), 0);

/** The places of the set bits, in order. */
export function* setBits(bits: Uint8Array): Generator<number> {
  for (let at = 0; at < bits.length; at++)
    for (let byte = bits[at] as number; byte !== 0; byte &= byte - 1) yield at * 8 + 31 - Math.clz32(byte & -byte);
}

const BITS_IN = Uint8Array.from({ length: 256 }, (_, byte) => [...byte.toString(2)].filter((digit) => digit === '1').length);
