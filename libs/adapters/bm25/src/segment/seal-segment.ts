import { CHUNK_WORDS } from '@palimpsest/contracts';
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

/** Inverts the chunks, whose ids must be distinct. `termCount`: one more than the highest term number. */
export const sealSegment = (pending: Iterable<PendingChunk>, termCount: number): Segment => {
  const sorted = [...pending].sort((a, b) => compareIds(a.id, 0, b.id, 0));
  const { terms, next, postings, highest } = countTerms(sorted, termCount);
  const offsets = new Uint32Array(terms.length + 1);
  for (let at = 0, end = 0; at < terms.length; at++) {
    const count = next[terms[at] as number] as number;
    next[terms[at] as number] = end;
    end += count;
    offsets[at + 1] = end;
  }
  const chunks = new Uint32Array(postings);
  const frequencies = frequenciesFor(postings, highest);
  const size = sorted.length;
  const ids = new Uint32Array(size * CHUNK_WORDS);
  const digests = new Uint8Array(size * DIGEST_BYTES);
  const lengths = new Uint32Array(size);
  const attributeSets = new Uint32Array(size);
  const languages = new Uint32Array(size);
  for (const [chunk, source] of sorted.entries()) {
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
  }
  return { size, ids, digests, lengths, attributeSets, languages, terms, offsets, chunks, frequencies };
};

/** `next`: by term number, the number of chunks with the term. */
const countTerms = (sorted: readonly PendingChunk[], termCount: number) => {
  const next = new Uint32Array(termCount);
  const distinct: number[] = [];
  let postings = 0;
  let highest = 0;
  for (const { terms, frequencies } of sorted) {
    postings += terms.length;
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] as number;
      if (next[term] === 0) distinct.push(term);
      next[term] = (next[term] as number) + 1;
      if ((frequencies[i] as number) > highest) highest = frequencies[i] as number;
    }
  }
  return { terms: Uint32Array.from(distinct).sort(), next, postings, highest };
};
