import { CHUNK_WORDS } from '@palimpsest/contracts';
import { runToCompletion } from '@palimpsest/foundation';
import { compareIds } from './chunk-ids.ts';
import { bitsFor, isSet } from './bits.ts';
import { DIGEST_BYTES, frequenciesFor, type Segment } from './segment.ts';

/** A segment with the bit set of its deleted chunks. */
export type MergeInput = Readonly<{ segment: Segment; deleted: Uint8Array }>;

type LiveOrder = Readonly<{ from: Uint32Array; chunk: Uint32Array }>;

/** Chunks or postings per step of a merge, which takes some tenths of a millisecond. */
const STEP = 4096;

/** The live chunks of several segments ordered by id: the segment, and the chunk in it. No id may be in two segments. */
export const liveOrder = (inputs: readonly MergeInput[]): LiveOrder => runToCompletion(liveOrderSteps(inputs));

function* liveOrderSteps(inputs: readonly MergeInput[]): Generator<void, LiveOrder> {
  const at = new Uint32Array(inputs.length);
  const total = inputs.reduce((sum, { segment }) => sum + segment.size, 0);
  const from = new Uint32Array(total);
  const chunk = new Uint32Array(total);
  for (let live = 0; ; live++) {
    const first = lowestId(inputs, at);
    if (first < 0) return { from: from.subarray(0, live), chunk: chunk.subarray(0, live) };
    from[live] = first;
    chunk[live] = at[first] as number;
    at[first] = (at[first] as number) + 1;
    if (live % STEP === 0) yield;
  }
}

/** Moves `at` to the next live chunk of each input. Returns the input whose chunk has the lowest id, or -1 when none is left. */
const lowestId = (inputs: readonly MergeInput[], at: Uint32Array): number => {
  let first = -1;
  for (let i = 0; i < inputs.length; i++) {
    const { segment, deleted } = inputs[i] as MergeInput;
    let chunk = at[i] as number;
    while (chunk < segment.size && isSet(deleted, chunk)) chunk++;
    at[i] = chunk;
    if (chunk === segment.size) continue;
    if (first < 0 || compareIds(segment.ids, chunk, (inputs[first] as MergeInput).segment.ids, at[first] as number) < 0) first = i;
  }
  return first;
};

/**
 * Merges the live chunks of all inputs, the largest first, into one segment, in small steps. The result equals sealing these chunks
 * together, but nothing is counted again. The inputs and their deleted bits must not change meanwhile.
 */
export function* mergeSteps(inputs: readonly MergeInput[]): Generator<void, Segment> {
  const [first = NOTHING, ...others] = inputs;
  let smaller = NOTHING;
  // The small ones first: a segment is copied once for each segment that is larger.
  for (const next of others.toReversed()) smaller = smaller === NOTHING ? next : wholeOf(yield* mergePair(next, smaller));
  return yield* mergePair(first, smaller);
}

const wholeOf = (segment: Segment): MergeInput => ({ segment, deleted: bitsFor(segment.size) });
const NOTHING = wholeOf({
  size: 0,
  ids: new Uint32Array(0),
  digests: new Uint8Array(0),
  lengths: new Uint32Array(0),
  attributeSets: new Uint32Array(0),
  languages: new Uint32Array(0),
  terms: new Uint32Array(0),
  offsets: new Uint32Array(1),
  chunks: new Uint32Array(0),
  frequencies: new Uint8Array(0),
});

function* mergePair(a: MergeInput, b: MergeInput): Generator<void, Segment> {
  const inputs = [a, b] as const;
  const order = yield* liveOrderSteps(inputs);
  const size = order.from.length;
  const ids = new Uint32Array(size * CHUNK_WORDS);
  const digests = new Uint8Array(size * DIGEST_BYTES);
  const lengths = new Uint32Array(size);
  const attributeSets = new Uint32Array(size);
  const languages = new Uint32Array(size);
  const renumbered = [new Int32Array(a.segment.size).fill(DELETED), new Int32Array(b.segment.size).fill(DELETED)] as const;
  const copyChunk = (merged: number): void => {
    const from = order.from[merged] as 0 | 1;
    const chunk = order.chunk[merged] as number;
    const { segment } = inputs[from];
    renumbered[from][chunk] = merged;
    for (let i = 0; i < CHUNK_WORDS; i++) ids[merged * CHUNK_WORDS + i] = segment.ids[chunk * CHUNK_WORDS + i] as number;
    for (let i = 0; i < DIGEST_BYTES; i++) digests[merged * DIGEST_BYTES + i] = segment.digests[chunk * DIGEST_BYTES + i] as number;
    lengths[merged] = segment.lengths[chunk] as number;
    attributeSets[merged] = segment.attributeSets[chunk] as number;
    languages[merged] = segment.languages[chunk] as number;
  };
  for (let merged = 0; merged < size; merged++) {
    copyChunk(merged);
    if (merged % STEP === 0) yield;
  }
  const postings = new PostingMerge(a.segment, renumbered[0], b.segment, renumbered[1]);
  while (postings.step()) yield;
  yield;
  return { size, ids, digests, lengths, attributeSets, languages, ...postings.result() };
}

const DELETED = -1;
/** Higher than the number of any term or chunk. */
const NONE = 2 ** 32;

/**
 * Merges the posting lists of two segments, term by term. With plain loops over local variables, because a vocabulary has hundreds of
 * thousands of terms with a few postings each; `step` is no generator, because loops in generators are slower.
 */
class PostingMerge {
  readonly #a: Segment;
  readonly #b: Segment;
  readonly #renumberedA: Int32Array;
  readonly #renumberedB: Int32Array;
  readonly #chunks: Uint32Array;
  readonly #frequencies: Segment['frequencies'];
  readonly #terms: Uint32Array;
  readonly #offsets: Uint32Array;
  #termAtA = 0;
  #termAtB = 0;
  #termCount = 0;
  #end = 0;

  /** `renumberedA`, `renumberedB`: the merged number of each chunk, or `DELETED`. */
  constructor(a: Segment, renumberedA: Int32Array, b: Segment, renumberedB: Int32Array) {
    this.#a = a;
    this.#b = b;
    this.#renumberedA = renumberedA;
    this.#renumberedB = renumberedB;
    const postings = a.chunks.length + b.chunks.length;
    const bytes = Math.max(a.frequencies.BYTES_PER_ELEMENT, b.frequencies.BYTES_PER_ELEMENT);
    this.#chunks = new Uint32Array(postings);
    this.#frequencies = frequenciesFor(postings, 2 ** (8 * bytes) - 1);
    this.#terms = new Uint32Array(a.terms.length + b.terms.length);
    this.#offsets = new Uint32Array(a.terms.length + b.terms.length + 1);
  }

  /** Merges the next terms, with about `STEP` postings. Returns whether terms are left. */
  step(): boolean {
    const { terms: termsA, offsets: offsetsA } = this.#a;
    const { terms: termsB, offsets: offsetsB } = this.#b;
    let [atA, atB, end] = [this.#termAtA, this.#termAtB, this.#end];
    const pauseAt = end + STEP;
    while ((atA < termsA.length || atB < termsB.length) && end < pauseAt) {
      const termA = atA < termsA.length ? (termsA[atA] as number) : NONE;
      const termB = atB < termsB.length ? (termsB[atB] as number) : NONE;
      const start = end;
      if (termA < termB) end = this.#copy(this.#a, this.#renumberedA, atA, end);
      else if (termB < termA) end = this.#copy(this.#b, this.#renumberedB, atB, end);
      else
        end = this.#merge(offsetsA[atA] as number, offsetsA[atA + 1] as number, offsetsB[atB] as number, offsetsB[atB + 1] as number, end);
      if (termA <= termB) atA++;
      if (termB <= termA) atB++;
      if (end === start) continue;
      this.#terms[this.#termCount++] = Math.min(termA, termB);
      this.#offsets[this.#termCount] = end;
    }
    [this.#termAtA, this.#termAtB, this.#end] = [atA, atB, end];
    return atA < termsA.length || atB < termsB.length;
  }

  /** Renumbering keeps the order within one segment, so a list from a single segment is only copied. */
  #copy({ offsets, chunks, frequencies }: Segment, renumbered: Int32Array, termAt: number, from: number): number {
    const [toChunks, toFrequencies] = [this.#chunks, this.#frequencies];
    const end = offsets[termAt + 1] as number;
    let to = from;
    for (let posting = offsets[termAt] as number; posting < end; posting++) {
      const chunk = renumbered[chunks[posting] as number] as number;
      if (chunk === DELETED) continue;
      toChunks[to] = chunk;
      toFrequencies[to++] = frequencies[posting] as number;
    }
    return to;
  }

  /** Merges the postings of one term that both segments have. */
  #merge(fromA: number, endA: number, fromB: number, endB: number, from: number): number {
    const [toChunks, toFrequencies] = [this.#chunks, this.#frequencies];
    const { chunks: chunksA, frequencies: frequenciesA } = this.#a;
    const { chunks: chunksB, frequencies: frequenciesB } = this.#b;
    const [renumberedA, renumberedB] = [this.#renumberedA, this.#renumberedB];
    let [a, b, to] = [fromA, fromB, from];
    while (a < endA || b < endB) {
      const chunkA = a < endA ? (renumberedA[chunksA[a] as number] as number) : NONE;
      const chunkB = b < endB ? (renumberedB[chunksB[b] as number] as number) : NONE;
      if (chunkA === DELETED) a++;
      else if (chunkB === DELETED) b++;
      else if (chunkA < chunkB) {
        toChunks[to] = chunkA;
        toFrequencies[to++] = frequenciesA[a++] as number;
      } else {
        toChunks[to] = chunkB;
        toFrequencies[to++] = frequenciesB[b++] as number;
      }
    }
    return to;
  }

  result(): Pick<Segment, 'terms' | 'offsets' | 'chunks' | 'frequencies'> {
    const [terms, offsets] = [this.#terms.slice(0, this.#termCount), this.#offsets.slice(0, this.#termCount + 1)];
    const all = { terms, offsets, chunks: this.#chunks, frequencies: this.#frequencies };
    // Usually nothing was deleted; then this avoids a copy of possibly tens of megabytes.
    if (this.#end === this.#chunks.length) return all;
    return { ...all, chunks: this.#chunks.slice(0, this.#end), frequencies: this.#frequencies.slice(0, this.#end) };
  }
}
