import type { Segment } from '../segment/segment.ts';
import type { Kernel, SegmentHits, SegmentQuery } from './kernel.ts';

/** Terms with at least this many postings get a directory of their windows. For rarer terms, scanning the postings is as fast. */
const DIRECTORY_FROM = 128;
/** Terms in more than this share of the chunks are also stored as a row with one impact per chunk, which SIMD adds sixteen at a time. */
const DENSE_SHARE = 1 / 16;
const WINDOW_SHIFT = 12;

/** Postings per step of the layout. */
const STEP = 32_768;

type Directory = Readonly<{ row: Int32Array; start: Uint32Array; max: Uint8Array }>;
type DenseRows = Readonly<{ row: Int32Array; rows: Uint8Array }>;

/**
 * Places a segment in the kernel memory, in small steps.
 * @param windowShift a window has 2^windowShift chunks, 4-12 (small values only for tests)
 */
export function* segmentInKernel(
  kernel: Kernel,
  segment: Segment,
  impacts: Uint8Array,
  windowShift = WINDOW_SHIFT,
): Generator<void, SegmentInKernel> {
  const windows = Math.max(1, Math.ceil(segment.size / (1 << windowShift)));
  const directory = yield* directoryOf(segment, impacts, windows, windowShift);
  const dense = yield* denseRowsOf(segment, impacts, windows << windowShift);
  const { offsets, chunks } = segment;
  const places: number[] = [];
  // The order of the fields of `Segment` in kernels/search.ts.
  const parts = [offsets, chunks, impacts, directory.row, directory.start, directory.max, dense.row, dense.rows];
  for (const part of parts) places.push(yield* kernel.placeSteps(part));
  const head = Uint32Array.of(windows, windowShift, ...places, windows << windowShift);
  const at = yield* kernel.placeSteps(head);
  return new SegmentInKernel(kernel, {
    at,
    places: [...places, at],
    bytes: [...parts, head].reduce((sum, { byteLength }) => sum + byteLength, 0),
  });
}

/** A segment in the kernel memory. Must be freed explicitly. */
export class SegmentInKernel {
  readonly bytes: number;
  readonly #kernel: Kernel;
  readonly #places: number[];
  readonly #at: number;

  constructor(kernel: Kernel, { at, places, bytes }: Readonly<{ at: number; places: readonly number[]; bytes: number }>) {
    this.#kernel = kernel;
    this.#at = at;
    this.#places = [...places];
    this.bytes = bytes;
  }

  search(query: SegmentQuery): SegmentHits {
    return this.#kernel.search(this.#at, query);
  }

  mark(terms: readonly number[], chunks: Uint32Array): Uint32Array {
    return this.#kernel.mark(this.#at, terms, chunks);
  }

  free(): void {
    for (const at of this.#places.splice(0)) this.#kernel.free(at);
  }
}

const NO_ROW = -1;

/** Numbers the terms that get a row 0, 1, 2, …; the others get -1. */
const rowsFor = ({ terms, offsets }: Segment, getsRow: (postings: number) => boolean): { row: Int32Array; rows: number } => {
  const row = new Int32Array(terms.length).fill(NO_ROW);
  let rows = 0;
  for (let term = 0; term < terms.length; term++)
    if (getsRow((offsets[term + 1] as number) - (offsets[term] as number))) row[term] = rows++;
  return { row, rows };
};

function* directoryOf(segment: Segment, impacts: Uint8Array, windows: number, windowShift: number): Generator<void, Directory> {
  const { row, rows } = rowsFor(segment, (postings) => postings >= DIRECTORY_FROM);
  const start = new Uint32Array(rows * (windows + 1));
  const max = new Uint8Array(rows * windows);
  let pauseAt = STEP;
  for (let term = 0; term < row.length; term++) {
    const at = row[term] as number;
    if (at === NO_ROW) continue;
    let posting = segment.offsets[term] as number;
    const end = segment.offsets[term + 1] as number;
    for (let window = 0; window < windows; window++) {
      start[at * (windows + 1) + window] = posting;
      let highest = 0;
      for (; posting < end && (segment.chunks[posting] as number) >> windowShift === window; posting++)
        if ((impacts[posting] as number) > highest) highest = impacts[posting] as number;
      max[at * windows + window] = highest;
    }
    start[at * (windows + 1) + windows] = end;
    if (end < pauseAt) continue;
    pauseAt = end + STEP;
    yield;
  }
  return { row, start, max };
}

function* denseRowsOf(segment: Segment, impacts: Uint8Array, stride: number): Generator<void, DenseRows> {
  const { row, rows: count } = rowsFor(segment, (postings) => postings > segment.size * DENSE_SHARE && postings >= DIRECTORY_FROM);
  const rows = new Uint8Array(count * stride);
  let pauseAt = STEP;
  for (let term = 0; term < row.length; term++) {
    const at = row[term] as number;
    if (at === NO_ROW) continue;
    const end = segment.offsets[term + 1] as number;
    for (let posting = segment.offsets[term] as number; posting < end; posting++)
      rows[at * stride + (segment.chunks[posting] as number)] = impacts[posting] as number;
    if (end < pauseAt) continue;
    pauseAt = end + STEP;
    yield;
  }
  return { row, rows };
}
