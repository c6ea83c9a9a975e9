import type { ChunkRequest } from './log-calls.ts';

export type Direction = ChunkRequest['direction'];

const order = (direction: Direction) =>
  direction === 'forwards' ? ({ beyond: '>', sort: 'ASC' } as const) : ({ beyond: '<', sort: 'DESC' } as const);

// LEFT JOIN: an event whose stream or type is missing must be reported, not skipped. It also keeps `events` as the outer loop.
const EVENT = `
  SELECT e.position, e.revision, e.recorded_at, e.checksum, e.id, s.name AS stream, s.max_age_ms, s.max_age_checksum,
    s.first_revision, s.first_revision_checksum, t.name AS type, e.data, e.metadata
  FROM events e LEFT JOIN streams s ON s.id = e.stream LEFT JOIN types t ON t.id = e.type`;

/** Parameters: cursor (a position, exclusive), maximum number of rows. */
export const eventsOfLog = (direction: Direction): string => {
  const { beyond, sort } = order(direction);
  return `${EVENT} WHERE e.position ${beyond} ? ORDER BY e.position ${sort} LIMIT ?`;
};

/** Parameters: stream id, cursor (a revision, exclusive), maximum number of rows. */
export const eventsOfStream = (direction: Direction): string => {
  const { beyond, sort } = order(direction);
  return `${EVENT} WHERE e.stream = ? AND e.revision ${beyond} ? ORDER BY e.revision ${sort} LIMIT ?`;
};

/** Parameter: position. */
export const eventAt = `${EVENT} WHERE e.position = ?`;

/**
 * Positions of events of any of `count` types. Parameters: cursor (exclusive), maximum number of rows, the type ids. The index is
 * sorted by position within each type, so SQLite merges the types and stops at the limit, without reading payloads and without sorting.
 */
export const positionsOfTypes = (count: number, direction: Direction): string => {
  const { beyond, sort } = order(direction);
  const part = (_: unknown, index: number): string => `SELECT position FROM events WHERE type = ?${index + 3} AND position ${beyond} ?1`;
  return `${Array.from({ length: count }, part).join(' UNION ALL ')} ORDER BY position ${sort} LIMIT ?2`;
};

/** Parameters: cursor (a position, exclusive), the last position, maximum number of rows. */
export const eventsUpTo = `${EVENT} WHERE e.position > ? AND e.position <= ? ORDER BY e.position LIMIT ?`;
