import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { canonicalAttributes, vectorDigest } from './vector-digest.ts';

const put = { chunkId: '0'.repeat(32), vector: Float32Array.of(1, -0.5), attributes: { b: 'x', a: 1, c: true } };

describe('a vector digest', () => {
  it('is SHA-256 over id, dimensions, little-endian values and sorted attributes', () => {
    const bytes = Buffer.from(`${Buffer.from('0'.repeat(32)).toString('hex')}02000000${'0000803f'}${'000000bf'}`, 'hex');
    const expected = createHash('sha256').update(bytes).update('{"a":1,"b":"x","c":true}').digest('hex');
    expect(vectorDigest(put)).toBe(expected);
  });

  it('does not depend on the order of attributes', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), fc.integer())), (attributes) => {
        const reversed = Object.fromEntries(Object.entries(attributes).reverse());
        expect(vectorDigest({ ...put, attributes: reversed })).toBe(vectorDigest({ ...put, attributes }));
        expect(canonicalAttributes(JSON.parse(canonicalAttributes(attributes)) as typeof attributes)).toBe(canonicalAttributes(attributes));
      }),
    ));

  it('changes with every part', () => {
    const others = [{ chunkId: '1'.repeat(32) }, { vector: Float32Array.of(1, 0.5) }, { vector: Float32Array.of(1, -0.5, 0) }, { attributes: { b: 'x' } }];
    expect(new Set([put, ...others.map((other) => ({ ...put, ...other }))].map(vectorDigest)).size).toBe(5);
  });
});
