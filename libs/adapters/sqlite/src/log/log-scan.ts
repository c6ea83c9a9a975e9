import { InvalidValue, position, START, type Position, type ReadAllOptions, type ReadStreamOptions, type StreamName } from '@palimpsest/knowledge';
import type { ChunkRequest } from './log-calls.ts';

/** Most rows in one chunk; its payload is bounded by the reader as well. */
const CHUNK_ROWS = 512;
const MAX_TYPES = 256;

/** A read of many chunks: where it begins (exclusive), how many events it may return in all, and how each chunk is asked for. */
export type Scan = Readonly<{ cursor: number; limit: number; request: Omit<ChunkRequest, 'cursor' | 'now'> }>;

/** @throws InvalidValue */
export const streamScan = (stream: StreamName, { from, direction = 'forwards', limit }: ReadStreamOptions): Scan => {
  const forwards = direction === 'forwards';
  const first = from === undefined ? undefined : wholeNumber('from', from, 0);
  const cursor = forwards ? (first ?? 0) - 1 : (first ?? Number.MAX_SAFE_INTEGER - 1) + 1;
  return { cursor, limit: limitOf(limit), request: { stream, direction, rows: CHUNK_ROWS } };
};

/** @throws InvalidValue */
export const allScan = ({ from, direction = 'forwards', limit, types }: ReadAllOptions): Scan => {
  const end = direction === 'forwards' ? START : (BigInt(Number.MAX_SAFE_INTEGER) as Position);
  const cursor = position(from ?? end, 'from');
  return { cursor: positionNumber(cursor), limit: limitOf(limit), request: { ...typesOf(types), direction, rows: CHUNK_ROWS } };
};

/** No file holds more events than a number can count: a position beyond means beyond them all. */
export const positionNumber = (position: Position): number => Number(position < Number.MAX_SAFE_INTEGER ? position : Number.MAX_SAFE_INTEGER);

/** @throws InvalidValue */
export const typesOf = (types: readonly string[] | undefined): { types?: readonly string[] } => {
  if (types === undefined) return {};
  const different = [...new Set(types)];
  if (different.length > MAX_TYPES) throw new InvalidValue('types', `at most ${MAX_TYPES} event types`, different.length);
  return { types: different };
};

/** @throws InvalidValue */
export const batchSize = (maxBatch: number | undefined): number => Math.min(CHUNK_ROWS * 2, wholeNumber('maxBatch', maxBatch ?? CHUNK_ROWS, 1));

const limitOf = (limit: number | undefined): number => (limit === undefined ? Infinity : wholeNumber('limit', limit, 0));

const wholeNumber = (field: string, value: number, least: number): number => {
  if (!Number.isSafeInteger(value) || value < least) throw new InvalidValue(field, `a whole number, ${least} or more`, value);
  return value;
};
