import fc from 'fast-check';
import { decodeHead, encodeHead, headBytes, matches } from './frames.ts';

const payload = fc.uint8Array({ maxLength: 50 });
const tags = fc.array(fc.nat({ max: 0xffffffff }), { maxLength: 3 });

describe('The head of a frame', () => {
  it('has a fixed format, because files contain it', () => {
    expect(encodeHead(Buffer.from('123456789')).toString('hex')).toBe('090000002639f4cb3ed5e8a8');
    expect(encodeHead(Buffer.alloc(0), 0x48534c46).toString('hex')).toBe('464c5348000000000000000003c3b04f');
  });

  it('returns tags and length, and recognises the payload', () =>
    fc.assert(
      fc.property(payload, tags, (bytes, all) => {
        const head = decodeHead(encodeHead(bytes, ...all), all.length);
        expect(head).toMatchObject({ tags: all, length: bytes.length });
        expect(head !== undefined && matches(bytes, head)).toBe(true);
      }),
    ));

  it('is not found when any bit is changed or bytes are missing', () =>
    fc.assert(
      fc.property(payload, tags, fc.nat(), (bytes, all, at) => {
        const head = encodeHead(bytes, ...all);
        expect(decodeHead(head.subarray(0, at % headBytes(all.length)), all.length)).toBeUndefined();
        const bit = at % (8 * head.length);
        head.writeUInt8(head.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(decodeHead(head, all.length)).toBeUndefined();
      }),
    ));

  it('does not match another payload', () =>
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.nat(), (bytes, at) => {
        const head = decodeHead(encodeHead(bytes));
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at % bytes.length) ^ 1, at % bytes.length);
        expect(head !== undefined && matches(changed, head)).toBe(false);
      }),
    ));
});
