import { CHUNK_WORDS } from '@palimpsest/contracts';
import { readingLanguages } from '@palimpsest/knowledge/read-models';
import { termConditions, type EntryReadings, type SelectedChunks, type WordConditions } from '@palimpsest/knowledge/selections';
import { termsOf } from '../analysis/analyse.ts';
import { queryLanguage } from '../analysis/query-language.ts';
import { bitsFor, countBits, setBit, setBits } from '../segment/bits.ts';
import { copyId, mergedIds, type ChunkIds } from '../segment/chunk-ids.ts';
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
  const segments = partition.segments().map((live) => ({ ids: live.segment.ids, ...selectedIn(live, conditions) }));
  const count = segments.reduce((sum, { selected }) => sum + countBits(selected), 0);
  // The shorter list is returned: of the selected chunks, or of the others.
  if (count * 2 > partition.count)
    return { chunks: { except: mergedIds(segments.map(({ ids, others }) => idsOf(ids, others))) }, count, ignored };
  return { chunks: { only: mergedIds(segments.map(({ ids, selected }) => idsOf(ids, selected))) }, count, ignored };
};

/** Without the readings with a term that no chunk has. */
const numberedIn =
  ({ dictionary }: Partition) =>
  (entry: EntryReadings): NumberedEntry =>
    entry.map((terms) => terms.map((term) => dictionary.find(term))).filter((numbers) => numbers.every((number) => number >= 0));

/** The live chunks that satisfy the conditions, and the other live chunks, as bits. */
const selectedIn = ({ segment, deleted }: LiveSegment, conditions: NumberedConditions) => {
  const required = conditions.required.map((entry) => holders(segment, entry));
  const excluded = conditions.excluded.map((entry) => holders(segment, entry));
  const [selected, others] = [bitsFor(segment.size), bitsFor(segment.size)];
  for (let at = 0; at < selected.length; at++) {
    // The last byte has bits for chunks that do not exist.
    const live = ~(deleted[at] as number) & (0xff >> Math.max(0, 8 * (at + 1) - segment.size));
    let bits = live;
    for (const holding of required) bits &= holding[at] as number;
    for (const holding of excluded) bits &= ~(holding[at] as number);
    selected[at] = bits;
    others[at] = live & ~bits;
  }
  return { selected, others };
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

const idsOf = (ids: ChunkIds, chunks: Uint8Array): ChunkIds => {
  const found = new Uint32Array(CHUNK_WORDS * countBits(chunks));
  let at = 0;
  for (const chunk of setBits(chunks)) {
    copyId(ids, chunk, found, at);
    at += CHUNK_WORDS;
  }
  return found;
};
