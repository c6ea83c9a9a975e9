import { CHUNK_WORDS } from '@palimpsest/contracts';
import { runToCompletion } from '@palimpsest/foundation';
import { compareIds, type ChunkIds } from './chunk-ids.ts';
import { DIGEST_BYTES, frequenciesFor, type Segment } from './segment.ts';

/** A chunk that is not in a segment yet, with its terms as numbers. */
export type PendingChunk = Readonly<{
  id: ChunkIds;
  digest: Uint8Array;
  length: number;
  attributeSet: number;
  language: number;
  terms: Uint32Array;
  frequencies: Uint32Array;
}>;

/** Chunks per step, which takes some tenths of a millisecond. */
const STEP = 64;

/** Inverts the chunks, whose ids must be distinct. `termCount`: one more than the highest term number. */
export const sealSegment = (pending: Iterable<PendingChunk>, termCount: number): Segment => runToCompletion(sealSteps(pending, termCount));

/** The same in small steps. */
export function* sealSteps(pending: Iterable<PendingChunk>, termCount: number): Generator<void, Segment> {
  const sorted = [...pending].sort((a, b) => compareIds(a.id, 0, b.id, 0));
  yield;
  const { terms, next, postings, highest } = yield* countSteps(sorted, termCount);
  const offsets = new Uint32Array(terms.length + 1);
  placeTerms(terms, next, offsets);
  yield;
  const chunks = new Uint32Array(postings);
  const frequencies = frequenciesFor(postings, highest);
  const size = sorted.length;
  const ids = new Uint32Array(size * CHUNK_WORDS);
  const digests = new Uint8Array(size * DIGEST_BYTES);
  const lengths = new Uint32Array(size);
  const attributeSets = new Uint32Array(size);
  const languages = new Uint32Array(size);
  // A function of its own: loops in generators are slower.
  const place = (chunk: number): void => {
    const source = sorted[chunk] as PendingChunk;
    ids.set(source.id, chunk * CHUNK_WORDS);
    digests.set(source.digest, chunk * DIGEST_BYTES);
    lengths[chunk] = source.length;
    attributeSets[chunk] = source.attributeSet;
    languages[chunk] = source.language;
    for (let i = 0; i < source.terms.length; i++) {
      const posting = next[source.terms[i] as number] as number;
      next[source.terms[i] as number] = posting + 1;
      chunks[posting] = chunk;
      frequencies[posting] = source.frequencies[i] as number;
    }
  };
  for (let chunk = 0; chunk < size; chunk++) {
    place(chunk);
    if (chunk % STEP === STEP - 1) yield;
  }
  return { size, ids, digests, lengths, attributeSets, languages, terms, offsets, chunks, frequencies };
}

type Counted = Readonly<{
  /** The numbers of the terms that occur, ascending. */
  terms: Uint32Array;
  /** By term number, the number of chunks with the term. */
  next: Uint32Array;
  postings: number;
  highest: number;
}>;

function* countSteps(sorted: readonly PendingChunk[], termCount: number): Generator<void, Counted> {
  const next = new Uint32Array(termCount);
  const distinct: number[] = [];
  let postings = 0;
  let highest = 0;
  const count = ({ terms, frequencies }: PendingChunk): void => {
    postings += terms.length;
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] as number;
      if (next[term] === 0) distinct.push(term);
      next[term] = (next[term] as number) + 1;
      if ((frequencies[i] as number) > highest) highest = frequencies[i] as number;
    }
  };
  for (const [chunk, source] of sorted.entries()) {
    count(source);
    if (chunk % STEP === STEP - 1) yield;
  }
  return { terms: Uint32Array.from(distinct).sort(), next, postings, highest };
}

/** Turns the counts in `next` into where the postings of each term start. */
const placeTerms = (terms: Uint32Array, next: Uint32Array, offsets: Uint32Array): void => {
  for (let at = 0, end = 0; at < terms.length; at++) {
    const count = next[terms[at] as number] as number;
    next[terms[at] as number] = end;
    end += count;
    offsets[at + 1] = end;
  }
};
