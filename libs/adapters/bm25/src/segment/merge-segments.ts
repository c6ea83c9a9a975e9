import { CHUNK_WORDS } from '@palimpsest/contracts';
import { runToCompletion } from '@palimpsest/foundation';
import { compareIds } from './chunk-ids.ts';
import { isSet } from './bits.ts';
import { DIGEST_BYTES, frequenciesFor, type Segment } from './segment.ts';

/** A segment with the bit set of its deleted chunks. */
export type MergeInput = Readonly<{ segment: Segment; deleted: Uint8Array }>;

type LiveOrder = Readonly<{ from: Uint32Array; chunk: Uint32Array }>;

/** Chunks or postings per step of a merge, which takes some tenths of a millisecond. */
const STEP = 4096;

/** The live chunks of several segments ordered by id: the segment, and the chunk in it. No id may be in two segments. */
export const liveOrder = (inputs: readonly MergeInput[]): LiveOrder => runToCompletion(liveOrderSteps(inputs));

function* liveOrderSteps(inputs: readonly MergeInput[]): Generator<void, LiveOrder> {
  const at = inputs.map(() => 0);
  const total = inputs.reduce((sum, { segment }) => sum + segment.size, 0);
  const from = new Uint32Array(total);
  const chunk = new Uint32Array(total);
  let live = 0;
  for (;;) {
    let first = -1;
    for (const [i, { segment, deleted }] of inputs.entries()) {
      while ((at[i] as number) < segment.size && isSet(deleted, at[i] as number)) at[i] = (at[i] as number) + 1;
      if ((at[i] as number) === segment.size) continue;
      if (first < 0 || compareIds(segment.ids, at[i] as number, (inputs[first] as MergeInput).segment.ids, at[first] as number) < 0)
        first = i;
    }
    if (first < 0) return { from: from.subarray(0, live), chunk: chunk.subarray(0, live) };
    from[live] = first;
    chunk[live++] = at[first] as number;
    at[first] = (at[first] as number) + 1;
    if (live % STEP === 0) yield;
  }
}

/**
 * Merges the live chunks of all inputs into one segment, in small steps. The result equals sealing these chunks together, but nothing is
 * counted again. The inputs and their deleted bits must not change meanwhile.
 */
export function* mergeSteps(inputs: readonly MergeInput[]): Generator<void, Segment> {
  const order = yield* liveOrderSteps(inputs);
  const size = order.from.length;
  const ids = new Uint32Array(size * CHUNK_WORDS);
  const digests = new Uint8Array(size * DIGEST_BYTES);
  const lengths = new Uint32Array(size);
  const attributeSets = new Uint32Array(size);
  const languages = new Uint32Array(size);
  const renumbered = inputs.map(({ segment }) => new Int32Array(segment.size).fill(DELETED));
  for (let merged = 0; merged < size; merged++) {
    const from = order.from[merged] as number;
    const chunk = order.chunk[merged] as number;
    const { segment } = inputs[from] as MergeInput;
    (renumbered[from] as Int32Array)[chunk] = merged;
    ids.set(segment.ids.subarray(chunk * CHUNK_WORDS, chunk * CHUNK_WORDS + CHUNK_WORDS), merged * CHUNK_WORDS);
    digests.set(segment.digests.subarray(chunk * DIGEST_BYTES, (chunk + 1) * DIGEST_BYTES), merged * DIGEST_BYTES);
    lengths[merged] = segment.lengths[chunk] as number;
    attributeSets[merged] = segment.attributeSets[chunk] as number;
    languages[merged] = segment.languages[chunk] as number;
    if (merged % STEP === 0) yield;
  }
  return { size, ids, digests, lengths, attributeSets, languages, ...(yield* mergePostings(inputs, renumbered)) };
}

const DELETED = -1;

function* mergePostings(
  inputs: readonly MergeInput[],
  renumbered: readonly Int32Array[],
): Generator<void, Pick<Segment, 'terms' | 'offsets' | 'chunks' | 'frequencies'>> {
  const postings = inputs.reduce((sum, { segment }) => sum + segment.chunks.length, 0);
  const highest = inputs.reduce((high, { segment }) => Math.max(high, segment.frequencies.BYTES_PER_ELEMENT), 1);
  const chunks = new Uint32Array(postings);
  const frequencies = frequenciesFor(postings, 2 ** (8 * highest) - 1);
  const terms: number[] = [];
  const offsets: number[] = [0];
  // Plain loops over reused lists, because this runs once per term of a vocabulary of hundreds of thousands of terms.
  const lists: PostingList[] = inputs.map(({ segment }, i) => ({
    segment,
    renumbered: renumbered[i] as Int32Array,
    termAt: 0,
    at: 0,
    end: 0,
  }));
  const holding: PostingList[] = [];
  let end = 0;
  let pauseAt = STEP;
  for (let term = lowestTerm(lists); term !== Infinity; term = lowestTerm(lists)) {
    holding.length = 0;
    for (const list of lists) {
      const { segment, termAt } = list;
      if (segment.terms[termAt] !== term) continue;
      list.at = segment.offsets[termAt] as number;
      list.end = segment.offsets[termAt + 1] as number;
      list.termAt = termAt + 1;
      holding.push(list);
    }
    const start = end;
    end =
      holding.length === 1 ? copyList(holding[0] as PostingList, chunks, frequencies, end) : mergeLists(holding, chunks, frequencies, end);
    if (end === start) continue;
    terms.push(term);
    offsets.push(end);
    if (end < pauseAt) continue;
    pauseAt = end + STEP;
    yield;
  }
  yield;
  const all = { terms: new Uint32Array(terms), offsets: new Uint32Array(offsets), chunks, frequencies };
  // Usually nothing was deleted; then this avoids a copy of possibly tens of megabytes.
  return end === postings ? all : { ...all, chunks: chunks.slice(0, end), frequencies: frequencies.slice(0, end) };
}

/** The state of one input of a merge: its next term, and the unread postings of the previous term. */
type PostingList = { readonly segment: Segment; readonly renumbered: Int32Array; termAt: number; at: number; end: number };

const lowestTerm = (lists: readonly PostingList[]): number => {
  let lowest = Infinity;
  for (const { segment, termAt } of lists) {
    const term = segment.terms[termAt];
    if (term !== undefined && term < lowest) lowest = term;
  }
  return lowest;
};

/** Renumbering keeps the order within one segment, so a list from a single segment is only copied. */
const copyList = (
  { segment, renumbered, at, end }: PostingList,
  chunks: Uint32Array,
  frequencies: Segment['frequencies'],
  from: number,
): number => {
  let to = from;
  for (let posting = at; posting < end; posting++) {
    const chunk = renumbered[segment.chunks[posting] as number] as number;
    if (chunk === DELETED) continue;
    chunks[to] = chunk;
    frequencies[to++] = segment.frequencies[posting] as number;
  }
  return to;
};

const mergeLists = (lists: readonly PostingList[], chunks: Uint32Array, frequencies: Segment['frequencies'], from: number): number => {
  let to = from;
  for (;;) {
    let first: PostingList | undefined;
    let lowest = Infinity;
    for (const list of lists) {
      const chunk = headOf(list);
      if (chunk < lowest) {
        lowest = chunk;
        first = list;
      }
    }
    if (first === undefined) return to;
    chunks[to] = lowest;
    frequencies[to++] = first.segment.frequencies[first.at++] as number;
  }
};

const headOf = (list: PostingList): number => {
  while (list.at < list.end) {
    const chunk = list.renumbered[list.segment.chunks[list.at] as number] as number;
    if (chunk !== DELETED) return chunk;
    list.at++;
  }
  return Infinity;
};
