import { Corrupt } from '@palimpsest/knowledge/errors';
import fc from 'fast-check';
import { pack, packedLength, unpack } from './bit-packing.ts';

describe('packed numbers', () => {
  it('are read as they were written, and need no byte more than their bits', () =>
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 8 })
          .chain((bits) => fc.tuple(fc.constant(bits), fc.uint8Array({ min: 0, max: 2 ** bits - 1, maxLength: 70 }))),
        ([bits, numbers]) => {
          const packed = new Uint8Array(packedLength(numbers.length, bits));
          pack(numbers, bits, packed);
          expect(unpack(packed, numbers.length, bits)).toEqual(numbers);
          expect(packed.length).toBe(Math.ceil((numbers.length * bits) / 8));
        },
      ),
    ));

  it('are stored with the lowest bits first', () => {
    const packed = new Uint8Array(2);
    pack(Uint8Array.of(1, 2, 3), 3, packed);
    expect([...packed]).toEqual([0b11_010_001, 0b0]);
  });

  it('are refused with bits after the last one', () => {
    expect(() => unpack(Uint8Array.of(0b1000_0001), 1, 1)).toThrow(Corrupt);
    expect(() => unpack(Uint8Array.of(0b1000_0001), 7, 1)).toThrow('bits after its last value');
  });
});
