import fc from 'fast-check';
import { decodeEvent, decodeNamed, decodeStreams, encodeEvent, encodeNamed, encodeStreams } from './records.ts';

const number = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const text = fc.string({ unit: 'grapheme' });
const event = fc.record({
  position: number,
  revision: number,
  recordedAt: number,
  id: fc.stringMatching(/^[0-9a-f]{32}$/),
  stream: text,
  type: text,
  data: fc.json(),
  metadata: fc.json(),
});

describe('the records of a backup', () => {
  it('keep everything that the log stores about an event', () =>
    fc.assert(fc.property(event, (each) => expect(decodeEvent(encodeEvent(each))).toEqual(each))));

  it('refuse an event with a wrong length', () =>
    fc.assert(
      fc.property(event, fc.integer({ min: 1, max: 20 }), (each, cut) => {
        const bytes = encodeEvent(each);
        expect(() => decodeEvent(Buffer.concat([bytes, Buffer.alloc(cut)]))).toThrow(/length/);
        expect(() => decodeEvent(bytes.subarray(0, bytes.length - cut))).toThrow(/length|too short|out of range/);
      }),
    ));

  it('keep streams and named bytes unchanged', () => {
    const streams = [
      { name: 'document-a-1', lastRevision: 7, maxAgeMs: null },
      { name: 'trace-b', lastRevision: -1, maxAgeMs: 5 },
    ];
    expect(decodeStreams(encodeStreams(streams))).toEqual(streams);
    expect(decodeNamed(Buffer.concat(encodeNamed('keys/ä', Buffer.from([0, 255]))))).toEqual({
      name: 'keys/ä',
      bytes: Buffer.from([0, 255]),
    });
    expect(() => decodeNamed(Buffer.from([0, 9, 65]))).toThrow(/no name/);
  });
});
