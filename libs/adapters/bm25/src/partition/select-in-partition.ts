import { CHUNK_WORDS } from '@palimpsest/contracts';
import { readingLanguages } from '@palimpsest/knowledge/read-models';
import { termConditions, type EntryReadings, type SelectedChunks, type WordConditions } from '@palimpsest/knowledge/selections';
import { analyse } from '../analysis/analyse.ts';
import { queryLanguage } from '../analysis/query-language.ts';
import { bitsFor, isSet, setBit } from '../segment/bits.ts';
import { mergedIds, type ChunkIds } from '../segment/chunk-ids.ts';
import type { LiveSegment } from '../segment/live-segment.ts';
import { findPosting, findTerm, type Segment } from '../segment/segment.ts';
import type { Partition } from './partition.ts';

/** Readings of an entry as numbers of terms. */
type NumberedEntry = readonly (readonly number[])[];
type NumberedConditions = Readonly<{ required: readonly NumberedEntry[]; excluded: readonly NumberedEntry[] }>;

/** The live chunks that satisfy the conditions, from the postings of their terms. */
export const selectIn = (partition: Partition, asked: WordConditions, text: string, named: string | undefined): SelectedChunks => {
  const languages = readingLanguages(partition.languagesByCount(), named);
  const { required, excluded, ignored } = termConditions(asked, { own: queryLanguage(text, languages), languages }, termsOf);
  const conditions = { required: required.map(numberedIn(partition)), excluded: excluded.map(numberedIn(partition)) };
  // Without a required entry nearly all chunks are selected: those that are not are the shorter list.
  const isExcept = required.length === 0;
  const ids = partition
    .segments()
    .map((live) => (isExcept ? idsOf(live, excludedIn(live, conditions)) : idsOf(live, selectedIn(live, conditions))))
    .reduce(mergedIds, new Uint32Array());
  const count = ids.length / CHUNK_WORDS;
  return isExcept ? { chunks: { except: ids }, count: partition.count - count, ignored } : { chunks: { only: ids }, count, ignored };
};

const termsOf = (entry: string, language: string): readonly string[] => [...analyse(entry, language).terms.keys()];

/** Without the readings with a term that no chunk has. */
const numberedIn =
  ({ dictionary }: Partition) =>
  (entry: EntryReadings): NumberedEntry =>
    entry.map((terms) => terms.map((term) => dictionary.find(term))).filter((numbers) => numbers.every((number) => number >= 0));

type Test = (chunk: number) => boolean;

const selectedIn = (live: LiveSegment, conditions: NumberedConditions): Test => {
  const required = conditions.required.map((entry) => holders(live.segment, entry));
  const isExcluded = excludedIn(live, conditions);
  return (chunk) => required.every((bits) => isSet(bits, chunk)) && !isExcluded(chunk);
};

const excludedIn = ({ segment }: LiveSegment, conditions: NumberedConditions): Test => {
  const excluded = conditions.excluded.map((entry) => holders(segment, entry));
  return (chunk) => excluded.some((bits) => isSet(bits, chunk));
};

/** The chunks with all terms of a reading, as bits. */
const holders = (segment: Segment, entry: NumberedEntry): Uint8Array => {
  const bits = bitsFor(segment.size);
  for (const reading of entry) {
    const terms = reading.map((number) => findTerm(segment, number));
    if (terms.some((at) => at < 0)) continue;
    const [rarest, ...others] = terms.sort((a, b) => postings(segment, a) - postings(segment, b));
    if (rarest === undefined) continue;
    for (let posting = segment.offsets[rarest] as number; posting < (segment.offsets[rarest + 1] as number); posting++) {
      const chunk = segment.chunks[posting] as number;
      if (others.every((term) => findPosting(segment, term, chunk) >= 0)) setBit(bits, chunk);
    }
  }
  return bits;
};

const postings = ({ offsets }: Segment, term: number): number => (offsets[term + 1] as number) - (offsets[term] as number);

/** The ids of the live chunks that pass a test, in their order. */
const idsOf = ({ segment: { ids, size }, deleted }: LiveSegment, test: Test): ChunkIds => {
  const chunks: number[] = [];
  for (let chunk = 0; chunk < size; chunk++) if (!isSet(deleted, chunk) && test(chunk)) chunks.push(chunk);
  const found = new Uint32Array(CHUNK_WORDS * chunks.length);
  for (const [i, chunk] of chunks.entries()) found.set(ids.subarray(CHUNK_WORDS * chunk, CHUNK_WORDS * (chunk + 1)), CHUNK_WORDS * i);
  return found;
};
