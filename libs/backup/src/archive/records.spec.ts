import fc from 'fast-check';
import { readHead, readManifest } from './manifest.ts';
import { PartTally } from './part-tally.ts';
import {
  decodeEvent,
  decodeNamed,
  decodeStreams,
  decodeTruncations,
  encodeEvent,
  encodeNamed,
  encodeStreams,
  encodeTruncations,
} from './records.ts';

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
  it('are read from a backup of format 1, which has no truncations', () => {
    const { truncations: none, ...parts } = new PartTally().figures();
    const head = { format: 1, createdAt: '2026-01-01T00:00:00Z', by: 'test', position: 0 };
    const manifest = { ...head, parts, missing: { count: 0, first: [] } };
    expect(readHead(Buffer.from(JSON.stringify(head)))).toEqual(head);
    expect(readManifest(Buffer.from(JSON.stringify(manifest))).parts).toEqual({ ...parts, truncations: none });
  });

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
    const truncated = [{ name: 'document-a-1', firstRevision: 7 }];
    expect(decodeTruncations(encodeTruncations(truncated))).toEqual(truncated);
    expect(decodeNamed(Buffer.concat(encodeNamed('keys/ä', Buffer.from([0, 255]))))).toEqual({
      name: 'keys/ä',
      bytes: Buffer.from([0, 255]),
    });
    expect(() => decodeNamed(Buffer.from([0, 9, 65]))).toThrow(/no name/);
  });
});
