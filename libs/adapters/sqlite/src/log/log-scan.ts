import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ReadAllOptions, ReadStreamOptions, StreamName } from '@palimpsest/knowledge/ports';
import { position, START, type Position } from '@palimpsest/knowledge/values';
import type { ChunkRequest } from './log-calls.ts';

/** The maximum number of rows in one chunk. The reader also limits its payload. */
const CHUNK_ROWS = 512;
const MAX_TYPES = 256;

/**
 * A read of many chunks: where it starts (exclusive), the last position if it has one, how many events it may return in total, and the
 * request for each chunk.
 */
export type Scan = Readonly<{ cursor: number; upTo?: Position; limit: number; request: Omit<ChunkRequest, 'cursor' | 'now'> }>;

/** @throws InvalidValue */
export const streamScan = (stream: StreamName, { from, direction = 'forwards', limit }: ReadStreamOptions): Scan => {
  const forwards = direction === 'forwards';
  const first = from === undefined ? undefined : wholeNumber('from', from, 0);
  const cursor = forwards ? (first ?? 0) - 1 : (first ?? Number.MAX_SAFE_INTEGER - 1) + 1;
  return { cursor, limit: limitOf(limit), request: { stream, direction, rows: CHUNK_ROWS } };
};

/** @throws InvalidValue */
export const allScan = ({ from, upTo, direction = 'forwards', limit, types }: ReadAllOptions): Scan => {
  const end = direction === 'forwards' ? START : (BigInt(Number.MAX_SAFE_INTEGER) as Position);
  const cursor = position(from ?? end, 'from');
  return {
    cursor: positionNumber(cursor),
    limit: limitOf(limit),
    ...upToOf(upTo, direction),
    request: { ...typesOf(types), direction, rows: CHUNK_ROWS },
  };
};

const upToOf = (upTo: Position | undefined, direction: 'forwards' | 'backwards'): Pick<Scan, 'upTo'> => {
  if (upTo === undefined) return {};
  if (direction === 'backwards') throw new InvalidValue('upTo', 'no upper bound when reading backwards', String(upTo));
  return { upTo: position(upTo, 'upTo') };
};

/** No file holds more than 2^53 events, so a larger position is after all of them. */
export const positionNumber = (position: Position): number =>
  Number(position < Number.MAX_SAFE_INTEGER ? position : Number.MAX_SAFE_INTEGER);

/** @throws InvalidValue */
export const typesOf = (types: readonly string[] | undefined): { types?: readonly string[] } => {
  if (types === undefined) return {};
  const different = [...new Set(types)];
  if (different.length > MAX_TYPES) throw new InvalidValue('types', `at most ${MAX_TYPES} event types`, different.length);
  return { types: different };
};

/** @throws InvalidValue */
export const batchSize = (maxBatch: number | undefined): number =>
  Math.min(CHUNK_ROWS * 2, wholeNumber('maxBatch', maxBatch ?? CHUNK_ROWS, 1));

const limitOf = (limit: number | undefined): number => (limit === undefined ? Infinity : wholeNumber('limit', limit, 0));

const wholeNumber = (field: string, value: number, min: number): number => {
  if (!Number.isSafeInteger(value) || value < min) throw new InvalidValue(field, `a whole number of ${min} or more`, value);
  return value;
};
