import { documentId, type DocumentId } from './ids.ts';

/** Ranges of a scope with few chunks, and of swaps whose event does not say how many they have. */
export const DOCUMENT_RANGES = 16;
export const MAX_DOCUMENT_RANGES = 256;
/** A range fills a few batches of a model, and an event on the log is not worth less work. */
const CHUNKS_OF_A_RANGE = 200;

/** How many ranges a swap has, a power of two: more for many chunks, so that its progress is known early. */
export const rangesFor = (chunks: number): number => {
  let ranges = DOCUMENT_RANGES;
  while (ranges < MAX_DOCUMENT_RANGES && chunks >= 2 * ranges * CHUNKS_OF_A_RANGE) ranges *= 2;
  return ranges;
};

/** The numbers of the ranges. */
export const rangesOf = (count: number = DOCUMENT_RANGES): readonly number[] => Array.from({ length: count }, (_, range) => range);

/**
 * The documents of a scope are divided by the first two hexadecimal digits of their ids. Ids are digests, so the ranges have about the same
 * size. `count`: how many ranges there are.
 */
export const rangeOf = (id: DocumentId, count: number = DOCUMENT_RANGES): number =>
  Math.floor((Number.parseInt(id.slice(0, 2), 16) * count) / MAX_DOCUMENT_RANGES);

/** The id after which a range begins; undefined for the first range. */
export const beginOfRange = (range: number, count: number = DOCUMENT_RANGES): DocumentId | undefined => {
  if (range === 0) return undefined;
  const last = (range * MAX_DOCUMENT_RANGES) / count - 1;
  return documentId(`${last.toString(16).padStart(2, '0')}${'f'.repeat(30)}`);
};
