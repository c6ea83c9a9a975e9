/** A bit set with one bit per chunk, lowest bit first. */
export const bitsFor = (size: number): Uint8Array => new Uint8Array((size + 7) >> 3);

export const isSet = (bits: Uint8Array, at: number): boolean => (((bits[at >> 3] as number) >> (at & 7)) & 1) === 1;

export const setBit = (bits: Uint8Array, at: number): void => {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
};
