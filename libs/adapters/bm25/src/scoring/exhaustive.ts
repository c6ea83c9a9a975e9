import { isSet } from '../segment/bits.ts';
import { findPosting, type Segment } from '../segment/segment.ts';
import { MARK_WORDS, type SegmentHits, type SegmentQuery } from './kernel.ts';

let sums = new Int32Array(0);

/**
 * Scores every chunk of a segment that contains a term, in plain JavaScript. Small segments are searched this way, and it is the
 * reference for the kernel, which must return the same. Skips chunks below `atLeast` points and excluded ones. Returns the best `k` of
 * the others; for equal points, the lower chunk number wins.
 */
export const searchExhaustively = (
  segment: Segment,
  impacts: Uint8Array,
  { terms, weights, k, atLeast, excluded }: SegmentQuery,
): SegmentHits => {
  if (sums.length < segment.size) sums = new Int32Array(segment.size * 2);
  for (const [i, term] of terms.entries()) {
    const weight = weights[i] as number;
    const end = segment.offsets[term + 1] as number;
    for (let posting = segment.offsets[term] as number; posting < end; posting++) {
      const chunk = segment.chunks[posting] as number;
      sums[chunk] = (sums[chunk] as number) + weight * (impacts[posting] as number);
    }
  }
  const found: number[] = [];
  for (let chunk = 0; chunk < segment.size; chunk++) {
    const points = sums[chunk] as number;
    if (points > 0 && points >= atLeast && !(excluded !== undefined && isSet(excluded, chunk))) found.push(chunk);
  }
  const points = (chunk: number): number => sums[chunk] as number;
  if (found.length > k) found.sort((a, b) => points(b) - points(a) || a - b).length = k;
  const hits = { chunks: Uint32Array.from(found), points: Int32Array.from(found, points) };
  sums.fill(0, 0, segment.size);
  return hits;
};

/** Looks up each term in each chunk. The reference for `mark` of the kernel. */
export const markExhaustively = (segment: Segment, terms: readonly number[], chunks: Uint32Array): Uint32Array => {
  const marks = new Uint32Array(chunks.length * MARK_WORDS);
  for (const [i, chunk] of chunks.entries())
    for (const [t, term] of terms.entries())
      if (findPosting(segment, term, chunk) >= 0)
        marks[i * MARK_WORDS + (t >> 5)] = (marks[i * MARK_WORDS + (t >> 5)] as number) | (1 << (t & 31));
  return marks;
};
