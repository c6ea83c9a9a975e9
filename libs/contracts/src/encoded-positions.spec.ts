import { START, type Position } from '@palimpsest/knowledge/values';
import fc from 'fast-check';
import { decodePositions, encodePositions } from './encoded-positions.ts';

const at = (value: number | bigint): Position => BigInt(value) as Position;

describe('encoded positions', () => {
  it('are decoded as they were, up to 64 bits', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.bigInt(1n, 2n ** 63n)), fc.boolean(), (some, fromFirst) => {
        const positions = some.sort((a, b) => (a < b ? -1 : 1)).map(at);
        const after = fromFirst && positions[0] !== undefined ? at(positions[0] - 1n) : START;
        expect(decodePositions(after, encodePositions(after, positions))).toEqual(positions);
      }),
    ));

  it('have one form, which is stored on the log', () => {
    expect(encodePositions(START, [])).toBe('');
    expect(encodePositions(START, [1, 2, 130, 430].map(at))).toBe(Buffer.from([1, 1, 0x80, 1, 0xac, 2]).toString('base64'));
    expect(encodePositions(at(400), [at(430)])).toBe(Buffer.from([30]).toString('base64'));
  });

  it('must ascend', () => {
    expect(() => encodePositions(START, [2, 2].map(at))).toThrow('positions do not ascend: 2 after 2');
    expect(() => encodePositions(at(5), [at(4)])).toThrow(RangeError);
    expect(() => decodePositions(START, Buffer.from([3, 0]).toString('base64'))).toThrow('a position appears twice');
  });

  it('are refused if bytes of them are missing or too many', () => {
    expect(() => decodePositions(START, Buffer.from([0x80]).toString('base64'))).toThrow('an unfinished distance');
    expect(() => decodePositions(START, Buffer.from(Array<number>(11).fill(0xff)).toString('base64'))).toThrow('a distance beyond 64 bits');
  });
});
