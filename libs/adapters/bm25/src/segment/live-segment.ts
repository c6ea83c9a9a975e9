import { runToCompletion } from '@palimpsest/foundation';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import { impactOf, lengthNorm, type Scoring } from '../scoring/bm25.ts';
import { markExhaustively, searchExhaustively } from '../scoring/exhaustive.ts';
import { sharedKernel, type SegmentHits, type SegmentQuery } from '../scoring/kernel.ts';
import { segmentInKernel, type SegmentInKernel } from '../scoring/segment-in-kernel.ts';
import { bitsFor, isSet, setBit } from './bits.ts';
import { findId, type ChunkIds } from './chunk-ids.ts';
import { setLeftOut } from './left-out.ts';
import { bytesOf, type Segment } from './segment.ts';

/** The minimum number of chunks for which preparing the kernel pays off. */
export const KERNEL_FROM_CHUNKS = 2048;
/** Postings per step of the preparation. */
const STEP = 32_768;

/** Sums over the impacts of one term in live chunks. Whole numbers, so that sums over segments do not depend on the order. */
export type ImpactSums = Readonly<{ sum: number; squares: number }>;

/** What a search is limited to. `kept`: one byte per attribute set, 1 = match. */
type Wanted = Readonly<{ kept: Uint8Array | undefined; chunks: ChunkSelection | undefined }>;

type Prepared = Readonly<{ average: number; impacts: Uint8Array; inKernel?: SegmentInKernel }>;

/** A segment in use: its deleted chunks, and the impacts for the current average length. */
export class LiveSegment {
  readonly segment: Segment;
  readonly deleted: Uint8Array;
  #deletedCount = 0;
  /** The number of live chunks with a term, by the term's index in the segment. Cleared on each delete. */
  readonly #liveFrequency = new Map<number, number>();
  /** By the term's index in the segment, for one average length. Cleared on each delete. */
  readonly #impactSums = new Map<number, ImpactSums>();
  #sumsAverage = 0;
  readonly #kernelFrom: number;
  #prepared: Prepared | undefined;
  /** For another average length, which the partition is about to have. */
  #expected: Prepared | undefined;

  constructor(segment: Segment, kernelFrom: number) {
    this.segment = segment;
    this.deleted = bitsFor(segment.size);
    this.#kernelFrom = kernelFrom;
  }

  get liveCount(): number {
    return this.segment.size - this.#deletedCount;
  }

  get bytes(): number {
    return bytesOf(this.segment) + this.deleted.length + bytesOfPrepared(this.#prepared) + bytesOfPrepared(this.#expected);
  }

  /** Returns the live chunk with this id, or -1. */
  find(id: ChunkIds): number {
    const chunk = findId(this.segment.ids, id);
    return chunk >= 0 && isSet(this.deleted, chunk) ? -1 : chunk;
  }

  delete(chunk: number): void {
    setBit(this.deleted, chunk);
    this.#deletedCount++;
    this.#liveFrequency.clear();
    this.#impactSums.clear();
  }

  /** The number of live chunks with a term, given by its index in the segment. */
  documentFrequency(termAt: number): number {
    const from = this.segment.offsets[termAt] as number;
    const to = this.segment.offsets[termAt + 1] as number;
    if (this.#deletedCount === 0) return to - from;
    const known = this.#liveFrequency.get(termAt);
    if (known !== undefined) return known;
    let live = 0;
    for (let posting = from; posting < to; posting++) if (!isSet(this.deleted, this.segment.chunks[posting] as number)) live++;
    this.#liveFrequency.set(termAt, live);
    return live;
  }

  /** Scans the term's postings once and caches the result. */
  impactSums(termAt: number, scoring: Scoring): ImpactSums {
    if (this.#sumsAverage !== scoring.average) this.#impactSums.clear();
    this.#sumsAverage = scoring.average;
    const known = this.#impactSums.get(termAt);
    if (known !== undefined) return known;
    const { offsets, chunks, frequencies, lengths } = this.segment;
    let [sum, squares] = [0, 0];
    for (let posting = offsets[termAt] as number; posting < (offsets[termAt + 1] as number); posting++) {
      const chunk = chunks[posting] as number;
      if (this.#deletedCount > 0 && isSet(this.deleted, chunk)) continue;
      const impact = impactOf(frequencies[posting] as number, lengthNorm(scoring, lengths[chunk] as number));
      sum += impact;
      squares += impact * impact;
    }
    this.#impactSums.set(termAt, { sum, squares });
    return { sum, squares };
  }

  /** Returns the chunks that a search must skip: deleted ones and those that are not wanted. */
  #excluded({ kept, chunks }: Wanted): Uint8Array | undefined {
    if (kept === undefined && chunks === undefined) return this.#deletedCount === 0 ? undefined : this.deleted;
    const bits = this.deleted.slice();
    const { attributeSets, size, ids } = this.segment;
    if (kept !== undefined) for (let chunk = 0; chunk < size; chunk++) if (kept[attributeSets[chunk] as number] !== 1) setBit(bits, chunk);
    if (chunks !== undefined) setLeftOut(bits, ids, chunks);
    return bits;
  }

  search(asked: Omit<SegmentQuery, 'excluded'>, wanted: Wanted, scoring: Scoring): SegmentHits {
    const { impacts, inKernel } = runToCompletion(this.prepareSteps(scoring));
    const query = { ...asked, excluded: this.#excluded(wanted) };
    return inKernel?.search(query) ?? searchExhaustively(this.segment, impacts, query);
  }

  /**
   * Returns which of the terms the chunks contain: `MARK_WORDS` words per chunk, in which bit t is set for `terms[t]`.
   * @param terms by their index in the segment; at most 128
   * @param chunks in ascending order, at most `MAX_INDEX_RESULTS`
   */
  mark(terms: readonly number[], chunks: Uint32Array): Uint32Array {
    return this.#prepared?.inKernel?.mark(terms, chunks) ?? markExhaustively(this.segment, terms, chunks);
  }

  /** Whether it is prepared for a search. */
  get isPrepared(): boolean {
    return this.#prepared !== undefined;
  }

  /** Prepares for the next search, in small steps. */
  *prepareSteps(scoring: Scoring): Generator<void, Prepared> {
    if (this.#prepared?.average === scoring.average) return this.#prepared;
    const prepared = this.#expected?.average === scoring.average ? this.#expected : yield* this.#preparedFor(scoring);
    if (prepared === this.#expected) this.#expected = undefined;
    this.#prepared?.inKernel?.free();
    return (this.#prepared = prepared);
  }

  /** Prepares for searches after a write, in small steps. Until then, searches use what is prepared now. */
  *expectSteps(scoring: Scoring): Generator<void, void> {
    if (this.#prepared?.average === scoring.average || this.#expected?.average === scoring.average) return;
    const expected = yield* this.#preparedFor(scoring);
    this.#expected?.inKernel?.free();
    this.#expected = expected;
  }

  *#preparedFor(scoring: Scoring): Generator<void, Prepared> {
    const { average } = scoring;
    const impacts = yield* impactsOf(this.segment, scoring);
    if (this.segment.size < this.#kernelFrom) return { average, impacts };
    return { average, impacts: new Uint8Array(0), inKernel: yield* segmentInKernel(sharedKernel(), this.segment, impacts) };
  }

  /** Frees the kernel memory. The next search prepares it again. */
  release(): void {
    this.#prepared?.inKernel?.free();
    this.#expected?.inKernel?.free();
    this.#prepared = undefined;
    this.#expected = undefined;
  }
}

const bytesOfPrepared = (prepared: Prepared | undefined): number => (prepared?.impacts.length ?? 0) + (prepared?.inKernel?.bytes ?? 0);

function* impactsOf({ lengths, chunks, frequencies }: Segment, scoring: Scoring): Generator<void, Uint8Array> {
  const norms = Float64Array.from(lengths, (length) => lengthNorm(scoring, length));
  const impacts = new Uint8Array(chunks.length);
  for (let from = 0; from < chunks.length; from += STEP) {
    const to = Math.min(from + STEP, chunks.length);
    for (let posting = from; posting < to; posting++)
      impacts[posting] = impactOf(frequencies[posting] as number, norms[chunks[posting] as number] as number);
    yield;
  }
  return impacts;
}
