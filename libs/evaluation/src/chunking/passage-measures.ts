import type { Span } from './spans.ts';
import { lengthOf, sharedLength, unionOf } from './spans.ts';

/** What a search returned, for a question that passages of one text answer. */
export type Retrieved = Readonly<{
  /** The returned chunks of that text. */
  places: readonly Span[];
  /** Characters of the other returned chunks: of other texts, or at an unknown place. */
  elsewhere: number;
}>;

/** Each from 0 to 1. */
export type PassageFigures = Readonly<{ recall: number; precision: number; iou: number }>;

/**
 * How much of what a question needs was returned, and how much else: recall, precision and intersection over union of "Evaluating Chunking
 * Strategies for Retrieval" (B. Smith and A. Troynikov, Chroma, 2024), over characters. What several chunks repeat is found once, and
 * read each time: it counts several times in precision and in the union.
 * @param references the passages that answer the question
 * @throws RangeError if they are empty
 */
export const passageFigures = (references: readonly Span[], { places, elsewhere }: Retrieved): PassageFigures => {
  const [needed, size] = neededFrom(references);
  const found = sharedLength(needed, unionOf(places));
  const read = lengthOf(places) + elsewhere;
  return { recall: found / size, precision: read === 0 ? 0 : found / read, iou: found / (read + size - found) };
};

/**
 * The precision of a search that returns each chunk with a part of a reference, and nothing else: how well the cuts fit the question,
 * whatever the search does ("precision Ω" of the same report). Characters of several chunks count once, as do those of references outside of
 * all chunks.
 * @throws RangeError if the references are empty
 */
export const precisionOmega = (references: readonly Span[], chunks: readonly Span[]): number => {
  const [needed] = neededFrom(references);
  const containing = chunks.filter((chunk) => sharedLength(needed, [chunk]) > 0);
  return sharedLength(needed, unionOf(containing)) / lengthOf(unionOf([...containing, ...needed]));
};

const neededFrom = (references: readonly Span[]): readonly [needed: readonly Span[], size: number] => {
  const needed = unionOf(references);
  const size = lengthOf(needed);
  if (!(size > 0)) throw new RangeError('references: expected at least one character');
  return [needed, size];
};
