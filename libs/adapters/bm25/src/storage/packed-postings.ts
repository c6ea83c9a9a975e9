import { frequenciesFor, type Frequencies, type Segment } from '../segment/segment.ts';
import { Damaged } from './damaged.ts';

/*
 * The chunks and frequencies of all postings in some bytes each. A chunk is the gap after the one before it, less one (in each term the first
 * gap counts from chunk -1), because most gaps fit into six bits; and most frequencies are 1. The first byte has, from the lowest bit,
 * whether the frequency is above 1, six bits of the gap, and whether more of it follow. These come seven bits at a time, lowest first, each
 * with whether more follow. Last is a frequency above 1, less two, in the same way.
 */

/** Postings per step: some tenths of a millisecond. */
const STEP = 32_768;

type Postings = Pick<Segment, 'offsets' | 'chunks' | 'frequencies'>;
type Bytes = { bytes: Uint8Array; at: number };

/** In small steps. */
export function* packSteps(postings: Postings): Generator<void, Uint8Array> {
  const packed: Bytes = { bytes: new Uint8Array(2 * postings.chunks.length), at: 0 };
  for (let term = 0; term < postings.offsets.length - 1;) {
    const end = endOfStep(postings.offsets, term);
    writeTerms(postings, term, end, packed);
    term = end;
    yield;
  }
  return packed.bytes.subarray(0, packed.at);
}

/**
 * In small steps.
 * @param highest frequency of all postings, or a higher number
 * @throws Damaged when `packed` is not exactly the postings of these terms
 */
export function* unpackSteps(
  offsets: Uint32Array,
  packed: Uint8Array,
  highest: number,
): Generator<void, Readonly<{ chunks: Uint32Array; frequencies: Frequencies }>> {
  const count = offsets[offsets.length - 1] ?? 0;
  const postings = { offsets, chunks: new Uint32Array(count), frequencies: frequenciesFor(count, highest) };
  const from: Bytes = { bytes: packed, at: 0 };
  for (let term = 0; term < offsets.length - 1;) {
    const end = endOfStep(offsets, term);
    readTerms(postings, term, end, from);
    term = end;
    yield;
  }
  if (from.at !== packed.length) throw new Damaged('the postings of the base file have another length than their terms say');
  return postings;
}

/** The term after those of one step, which are one at least. */
const endOfStep = (offsets: Uint32Array, from: number): number => {
  const end = (offsets[from] as number) + STEP;
  let term = from + 1;
  while (term < offsets.length - 1 && (offsets[term + 1] as number) <= end) term++;
  return term;
};

/** The first byte, then at most five for a gap of 32 bits, and five for a frequency. */
const LONGEST = 11;

// Functions of their own: loops in generators are slower.
const writeTerms = ({ offsets, chunks, frequencies }: Postings, from: number, to: number, packed: Bytes): void => {
  reserve(packed, LONGEST * ((offsets[to] as number) - (offsets[from] as number)));
  const { bytes } = packed;
  let { at } = packed;
  for (let term = from; term < to; term++) {
    const end = offsets[term + 1] as number;
    for (let posting = offsets[term] as number, previous = -1; posting < end; posting++) {
      const chunk = chunks[posting] as number;
      const frequency = frequencies[posting] as number;
      const gap = chunk - previous - 1;
      previous = chunk;
      bytes[at++] = (frequency > 1 ? 1 : 0) | ((gap & 0x3f) << 1) | (gap > 0x3f ? 0x80 : 0);
      if (gap > 0x3f) at = writeNumber(bytes, at, gap >>> 6);
      if (frequency > 1) at = writeNumber(bytes, at, frequency - 2);
    }
  }
  packed.at = at;
};

const reserve = (packed: Bytes, more: number): void => {
  if (packed.at + more <= packed.bytes.length) return;
  const larger = new Uint8Array(Math.max(packed.at + more, Math.ceil(packed.bytes.length * 1.5)));
  larger.set(packed.bytes.subarray(0, packed.at));
  packed.bytes = larger;
};

const writeNumber = (bytes: Uint8Array, start: number, value: number): number => {
  let [at, rest] = [start, value];
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
};

/** Beyond the end it reads zeros, so that a loop always ends. */
const readTerms = ({ offsets, chunks, frequencies }: Postings, from: number, to: number, packed: Bytes): void => {
  const { bytes } = packed;
  for (let term = from; term < to; term++) {
    const end = offsets[term + 1] as number;
    for (let posting = offsets[term] as number, previous = -1; posting < end; posting++) {
      const first = bytes[packed.at++] ?? 0;
      const more = first < 0x80 ? 0 : readNumber(packed);
      previous += ((first >> 1) & 0x3f) + more * 0x40 + 1;
      chunks[posting] = previous;
      frequencies[posting] = (first & 1) === 0 ? 1 : readNumber(packed) + 2;
    }
  }
};

const readNumber = (packed: Bytes): number => {
  let value = 0;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = packed.bytes[packed.at++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
};
