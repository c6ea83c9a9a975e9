import { runToCompletion } from '@palimpsest/foundation';
import fc from 'fast-check';
import { frequenciesFor } from '../segment/segment.ts';
import { Damaged } from './damaged.ts';
import { packSteps, unpackSteps } from './packed-postings.ts';

type Posting = Readonly<{ chunk: number; frequency: number }>;

const posting = fc.record({
  chunk: fc.oneof(fc.nat(300), fc.nat(2 ** 32 - 2)),
  frequency: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1e6 })),
});
/** Of each term its postings, in the order of their chunks. */
const terms = fc.array(
  fc
    .uniqueArray(posting, { minLength: 1, maxLength: 40, selector: ({ chunk }) => chunk })
    .map((postings) => postings.sort((a, b) => a.chunk - b.chunk)),
  { maxLength: 20 },
);
const postingsOf = (lists: readonly (readonly Posting[])[]) => {
  const all = lists.flat();
  const highest = all.reduce((max, { frequency }) => Math.max(max, frequency), 0);
  const frequencies = frequenciesFor(all.length, highest);
  frequencies.set(all.map(({ frequency }) => frequency));
  const offsets = new Uint32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) offsets[i + 1] = (offsets[i] as number) + list.length;
  return { offsets, highest, chunks: Uint32Array.from(all, ({ chunk }) => chunk), frequencies };
};
const unpacked = (offsets: Uint32Array, packed: Uint8Array, highest: number) => runToCompletion(unpackSteps(offsets, packed, highest));

describe('packed postings', () => {
  it('are the postings again, for any terms', () =>
    fc.assert(
      fc.property(terms, (lists) => {
        const { offsets, highest, chunks, frequencies } = postingsOf(lists);
        const packed = runToCompletion(packSteps({ offsets, chunks, frequencies }));
        expect(unpacked(offsets, packed, highest)).toMatchObject({ chunks, frequencies });
      }),
    ));

  it('take one byte for a gap below 64 and a frequency of 1, over several steps', () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ chunk: 64 * i + 63, frequency: 1 }));
    const { offsets, highest, chunks, frequencies } = postingsOf([list, list, [{ chunk: 5, frequency: 2 }]]);
    const packed = runToCompletion(packSteps({ offsets, chunks, frequencies }));
    expect(packed).toHaveLength(200_002);
    expect(unpacked(offsets, packed, highest)).toMatchObject({ chunks, frequencies });
  });

  it.each([
    ['too few bytes', [2]],
    ['too many bytes', [2, 2, 2]],
    ['a gap without an end', [2, 0x80]],
    ['a frequency without an end', [2, 1, 0x80]],
  ])('are damaged with %s', (_, bytes) => {
    expect(() => unpacked(Uint32Array.of(0, 2), Uint8Array.from(bytes), 1)).toThrow(Damaged);
  });
});
