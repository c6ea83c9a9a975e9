import fc from 'fast-check';
import { decodeEmbedding, encodeEmbedding } from './cached-value.ts';
import { valueSeal } from './sealed-value.ts';

const DIMENSIONS = 5;
const anEmbedding = fc.record({
  vector: fc.float32Array({ minLength: DIMENSIONS, maxLength: DIMENSIONS }),
  tokens: fc.nat(),
  truncated: fc.boolean(),
});
const SECRET = 'a secret of thirty-two characters and more';

describe('a cached value', () => {
  it('survives a round trip bit for bit', () =>
    fc.assert(
      fc.property(fc.string(), anEmbedding, (key, embedding) => {
        expect(decodeEmbedding(key, encodeEmbedding(key, embedding), DIMENSIONS)).toEqual(embedding);
      }),
    ));

  it('is rejected if any bit has changed, if it is truncated, and under another key', () =>
    fc.assert(
      fc.property(anEmbedding, fc.nat(), fc.integer({ min: 0, max: 7 }), (embedding, place, bit) => {
        const value = encodeEmbedding('key', embedding);
        const changed = Buffer.from(value);
        changed[place % value.length] = (changed[place % value.length] ?? 0) ^ (1 << bit);
        expect(decodeEmbedding('key', changed, DIMENSIONS)).toBeUndefined();
        expect(decodeEmbedding('key', value.subarray(0, place % value.length), DIMENSIONS)).toBeUndefined();
        expect(decodeEmbedding('other', value, DIMENSIONS)).toBeUndefined();
        expect(decodeEmbedding('key', value, DIMENSIONS - 1)).toBeUndefined();
      }),
    ));

  it('is rejected if it is any other value', () =>
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        (bytes) => void expect(decodeEmbedding('key', Buffer.from(bytes), DIMENSIONS)).toBeUndefined(),
      ),
    ));
});

describe('a sealed value', () => {
  it('opens only complete, under its key and with its secret', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(), (bytes, place) => {
        const { seal, open } = valueSeal(SECRET);
        const sealed = seal('key', Buffer.from(bytes));
        expect(open('key', sealed)).toEqual(Buffer.from(bytes));
        expect(open('other', sealed)).toBeUndefined();
        expect(valueSeal(`${SECRET}!`).open('key', sealed)).toBeUndefined();
        expect(open('key', sealed.subarray(0, place % sealed.length))).toBeUndefined();
        sealed[place % sealed.length] = (sealed[place % sealed.length] ?? 0) ^ 1;
        expect(open('key', sealed)).toBeUndefined();
      }),
    ));
});
