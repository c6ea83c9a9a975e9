import { documentId, type DocumentId } from './ids.ts';

/**
 * The documents of a scope, divided by the first hexadecimal digit of their ids. Ids are digests, so the ranges have about the same size.
 * The number is part of the log: a swap that is running counts its ranges.
 */
export const DOCUMENT_RANGES = 16;

const LAST_OF = (range: number): string => `${range.toString(16)}${'f'.repeat(31)}`;

export const rangeOf = (id: DocumentId): number => Number.parseInt(id.slice(0, 1), 16);

/** The id after which a range begins; undefined for the first range. */
export const beginOfRange = (range: number): DocumentId | undefined => (range === 0 ? undefined : documentId(LAST_OF(range - 1)));
