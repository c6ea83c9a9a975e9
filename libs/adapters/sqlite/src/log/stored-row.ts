import type { SQLOutputValue } from 'node:sqlite';
import { eventChecksum, firstRevisionChecksum, retentionChecksum } from './event-checksum.ts';
import type { StoredEvent } from './log-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

/** A result row of the queries in `event-queries.ts`. */
export type Row = Record<string, SQLOutputValue>;

/** Whether a stream's age limit matches its checksum. `row` must have `stream`, `max_age_ms` and `max_age_checksum`. */
export const retentionHolds = ({ stream, max_age_ms: maxAge, max_age_checksum: checksum }: Row): boolean =>
  retentionChecksum(String(stream), numberOrNull(maxAge)) === checksum;

/** Whether the first revision of a truncated stream matches its checksum. `row` must have `stream`, `first_revision` and its checksum. */
export const truncationHolds = ({ stream, first_revision: first, first_revision_checksum: checksum }: Row): boolean =>
  firstRevisionChecksum(String(stream), numberOrNull(first)) === checksum;

const numberOrNull = (value: SQLOutputValue | undefined): number | null => (value === null ? null : Number(value));

/** Whether the log has removed the event, or will: it is past the age limit of its stream at `now` (Unix ms), or was truncated. */
export const isRemoved = (row: Row, now: number): boolean =>
  ((row['max_age_ms'] !== null && Number(row['recorded_at']) < now - Number(row['max_age_ms'])) ||
    Number(row['revision']) < Number(row['first_revision'])) &&
  limitsHold(row);

const limitsHold = (row: Row): boolean => retentionHolds(row) && truncationHolds(row);

/** Returns the event in a row, or 'damaged' when it, or the age limit or first revision of its stream, does not match the checksum. */
export const verified = (row: Row): StoredEvent | 'damaged' => {
  const { position, stream, revision, recorded_at: recordedAt, type, id, data, metadata, checksum } = row;
  const complete = typeof stream === 'string' && typeof type === 'string' && typeof data === 'string' && typeof metadata === 'string';
  if (!complete || !(id instanceof Uint8Array) || !limitsHold(row)) return 'damaged';
  const event: StoredEvent = {
    position: Number(position),
    stream,
    revision: Number(revision),
    recordedAt: Number(recordedAt),
    type,
    id: hex(id),
    data,
    metadata,
  };
  return eventChecksum(event) === checksum ? event : 'damaged';
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

export const damaged = (position: unknown): WorkerFault =>
  new WorkerFault({
    code: 'Corrupt',
    message: `the event at position ${String(position)} is damaged: it does not match its checksum. Restore the event log from a backup`,
  });
