import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { chunkId } from '@palimpsest/knowledge/values';
import { canonicalAttributes, lexicalDigest, vectorDigest } from './index-digests.ts';

const vector = { chunkId: chunkId('0'.repeat(32)), vector: Float32Array.of(1, -0.5), attributes: { b: 'x', a: 1, c: true } };

describe('a vector digest', () => {
  it('is SHA-256 over id, dimensions, little-endian values and sorted attributes', () => {
    const bytes = Buffer.from(`${Buffer.from('0'.repeat(32)).toString('hex')}02000000${'0000803f'}${'000000bf'}`, 'hex');
    const expected = createHash('sha256').update(bytes).update('{"a":1,"b":"x","c":true}').digest('hex');
    expect(vectorDigest(vector)).toBe(expected);
  });

  it('does not depend on the order of attributes', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), fc.integer())), (attributes) => {
        const reversed = Object.fromEntries(Object.entries(attributes).reverse());
        expect(vectorDigest({ ...vector, attributes: reversed })).toBe(vectorDigest({ ...vector, attributes }));
        expect(canonicalAttributes(JSON.parse(canonicalAttributes(attributes)) as typeof attributes)).toBe(canonicalAttributes(attributes));
      }),
    ));

  it('changes with every part', () => {
    const others = [
      { chunkId: chunkId('1'.repeat(32)) },
      { vector: Float32Array.of(1, 0.5) },
      { vector: Float32Array.of(1, -0.5, 0) },
      { attributes: { b: 'x' } },
    ];
    expect(new Set([vector, ...others.map((other) => ({ ...vector, ...other }))].map(vectorDigest)).size).toBe(5);
  });
});

const put = { chunkId: chunkId('0'.repeat(32)), text: 'a text', language: 'en', attributes: { b: 1, a: 'x' } };

describe('lexicalDigest', () => {
  it('is the SHA-256 of id, text, language and attributes in one canonical JSON', () => {
    const json = `["${'0'.repeat(32)}","a text","en",{"a":"x","b":1}]`;
    expect(lexicalDigest(put)).toBe(createHash('sha256').update(json).digest('hex'));
  });

  it('changes with each part, but not with the order of attributes', () => {
    const others = [
      { ...put, text: 'a text ' },
      { ...put, language: 'de' },
      { ...put, attributes: { b: '1', a: 'x' } },
      { ...put, chunkId: chunkId('1'.repeat(32)) },
      { ...put, fields: {} },
      { ...put, fields: { title: 'a text' } },
      { ...put, fields: { metadata: 'a text' } },
      { ...put, fields: { symbol: 'a text' } },
    ];
    expect(new Set([put, ...others].map(lexicalDigest)).size).toBe(9);
    expect(lexicalDigest({ ...put, fields: { symbol: 's', title: 't' } })).toBe(
      lexicalDigest({ ...put, fields: { title: 't', symbol: 's' } }),
    );
    expect(lexicalDigest({ ...put, attributes: { a: 'x', b: 1 } })).toBe(lexicalDigest(put));
  });
});
