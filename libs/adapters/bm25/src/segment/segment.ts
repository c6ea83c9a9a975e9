import type { ChunkIds } from './chunk-ids.ts';

/** As narrow as the highest frequency allows. A text of a million equal words is still counted exactly. */
export type Frequencies = Uint8Array | Uint16Array | Uint32Array;

/**
 * An immutable inverted index of some chunks (`LiveSegment` keeps the deletes). It holds only counts, and nothing that depends on other
 * chunks: impacts are computed from the statistics of the partition. Chunks are numbered in the order of their ids, so that the lower
 * chunk number is also the lower id.
 */
export type Segment = Readonly<{
  size: number;
  ids: ChunkIds;
  /** 32 bytes per chunk. */
  digests: Uint8Array;
  /** Tokens per chunk. */
  lengths: Uint32Array;
  /** Per chunk: numbers that the partition assigned. */
  attributeSets: Uint32Array;
  languages: Uint32Array;
  /** The numbers of the terms that occur, ascending. */
  terms: Uint32Array;
  /** Per term of `terms`: where its postings start; plus one entry for the end. */
  offsets: Uint32Array;
  /** Per posting: the chunk, ascending within a term, and how often the term occurs in it. */
  chunks: Uint32Array;
  frequencies: Frequencies;
}>;

export const DIGEST_BYTES = 32;

export const bytesOf = (segment: Segment): number =>
  segment.ids.byteLength +
  segment.digests.byteLength +
  segment.lengths.byteLength +
  segment.attributeSets.byteLength +
  segment.languages.byteLength +
  segment.terms.byteLength +
  segment.offsets.byteLength +
  segment.chunks.byteLength +
  segment.frequencies.byteLength;

/** Returns the index of a term in `terms` and `offsets`, or -1. */
export const findTerm = ({ terms }: Segment, term: number): number => {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = terms[middle] as number;
    if (at === term) return middle;
    if (at < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

/** Returns the posting of a chunk among the postings of one term, or -1. */
export const findPosting = ({ offsets, chunks }: Segment, termAt: number, chunk: number): number => {
  let low = offsets[termAt] as number;
  let high = (offsets[termAt + 1] as number) - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = chunks[middle] as number;
    if (at === chunk) return middle;
    if (at < chunk) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

export const frequenciesFor = (postings: number, highest: number): Frequencies =>
  highest < 0x100 ? new Uint8Array(postings) : highest < 0x10000 ? new Uint16Array(postings) : new Uint32Array(postings);
