import { runToCompletion } from '@palimpsest/foundation';
import fc from 'fast-check';
import { bitsFor, setBit } from '../segment/bits.ts';
import { sealSegment, type PendingChunk } from '../segment/seal-segment.ts';
import type { Segment } from '../segment/segment.ts';
import { markExhaustively, searchExhaustively } from './exhaustive.ts';
import { sharedKernel, type SegmentHits } from './kernel.ts';
import { segmentInKernel } from './segment-in-kernel.ts';

const TERMS = 24;

/** A random segment of `size` chunks with its impacts: term 0 is in nearly every chunk, the last terms are in few. */
const aSegment = (size: number, seed: number): Readonly<{ segment: Segment; impacts: Uint8Array }> => {
  let state = seed;
  const dice = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const pending = Array.from({ length: size }, (_, n): PendingChunk => {
    const terms = Uint32Array.from(Array.from({ length: TERMS }, (_, term) => term).filter((term) => dice() < 0.95 / (term + 1) ** 1.2));
    return {
      id: Uint32Array.of(0, 0, 0, n),
      digest: new Uint8Array(32),
      length: terms.length,
      attributeSet: 0,
      language: 0,
      terms,
      frequencies: terms.map(() => 1),
    };
  });
  const segment = sealSegment(pending, TERMS);
  // Few different impacts, so that many scores are equal.
  return { segment, impacts: Uint8Array.from(segment.chunks, () => 1 + Math.floor(dice() * 4) * 80) };
};

const ranked = ({ chunks, points }: SegmentHits) =>
  Array.from(chunks, (chunk, i) => [points[i] as number, chunk] as const).sort((a, b) => b[0] - a[0] || a[1] - b[1]);

const segments = fc.tuple(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 1500 })), fc.integer({ min: 1, max: 1e6 }));
const asked = fc.record({
  terms: fc.uniqueArray(fc.nat(TERMS - 1), { minLength: 1, maxLength: 12 }),
  weight: fc.integer({ min: 1, max: 20_000 }),
  k: fc.constantFrom(1, 2, 10, 100, 1000),
  atLeast: fc.constantFrom(1, 1, 100_000, 1_500_000),
  excludedOf10: fc.constantFrom(0, 0, 3, 9),
});

describe('the kernel', () => {
  it('returns exactly what exhaustive scoring returns, for any windows, weights and exclusions', () =>
    fc.assert(
      fc.property(
        segments,
        fc.array(asked, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(4, 6, 12),
        ([size, seed], queries, windowShift) => {
          const { segment, impacts } = aSegment(size, seed);
          const inKernel = runToCompletion(segmentInKernel(sharedKernel(), segment, impacts, windowShift));
          for (const { terms, weight, k, atLeast, excludedOf10 } of queries) {
            const excluded = bitsFor(size);
            for (let chunk = 0; chunk < size; chunk++) if ((chunk * 7 + seed) % 10 < excludedOf10) setBit(excluded, chunk);
            const present = terms.filter((term) => term < segment.terms.length);
            const query = {
              terms: present,
              weights: present.map((_, i) => 1 + ((weight * (i + 1)) % 20_000)),
              k,
              atLeast,
              excluded: excludedOf10 > 0 ? excluded : undefined,
            };
            const hits = inKernel.search(query);
            expect(ranked(hits)).toEqual(ranked(searchExhaustively(segment, impacts, query)));
            const found = hits.chunks.toSorted();
            expect(inKernel.mark(present, found)).toEqual(markExhaustively(segment, present, found));
          }
          inKernel.free();
        },
      ),
      { numRuns: 60 },
    ));

  it('adds up 128 terms of the highest weight and impact without overflow', () => {
    const terms = Uint32Array.from({ length: 128 }, (_, term) => term);
    const pending = {
      id: Uint32Array.of(0, 0, 0, 1),
      digest: new Uint8Array(32),
      length: 128,
      attributeSet: 0,
      language: 0,
      terms,
      frequencies: terms.map(() => 1),
    };
    const segment = sealSegment([pending], 128);
    const inKernel = runToCompletion(segmentInKernel(sharedKernel(), segment, new Uint8Array(128).fill(255)));
    const query = { terms: [...terms], weights: [...terms].map(() => 3 * 20_000), k: 1, atLeast: 1, excluded: undefined };
    expect([...inKernel.search(query).points]).toEqual([128 * 3 * 20_000 * 255]);
    expect([...inKernel.mark(query.terms, Uint32Array.of(0))]).toEqual(Array.from({ length: 4 }, () => 0xffffffff));
    inKernel.free();
  });

  it('reuses freed memory', () => {
    const { segment, impacts } = aSegment(2000, 1);
    const round = (): number => {
      const placed = runToCompletion(segmentInKernel(sharedKernel(), segment, impacts));
      placed.free();
      return sharedKernel().memoryBytes;
    };
    const after = round();
    for (let i = 0; i < 500; i++) round();
    expect(sharedKernel().memoryBytes).toBe(after);
  });
});
