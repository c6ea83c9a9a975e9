import type { SQLOutputValue } from 'node:sqlite';
import { eventChecksum } from './event-checksum.ts';
import type { StoredEvent } from './log-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

/** What the queries of `event-queries.ts` answer. */
export type Row = Record<string, SQLOutputValue>;

/** The event in a row, if it is what was written. */
export const verified = (row: Row): StoredEvent | 'damaged' => {
  const { position, stream, revision, recorded_at: recordedAt, type, id, data, metadata, checksum } = row;
  const complete = typeof stream === 'string' && typeof type === 'string' && typeof data === 'string' && typeof metadata === 'string';
  if (!complete || !(id instanceof Uint8Array)) return 'damaged';
  const event: StoredEvent = {
    position: Number(position), stream, revision: Number(revision), recordedAt: Number(recordedAt), type, id: hex(id), data, metadata,
  };
  return eventChecksum(event) === checksum ? event : 'damaged';
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

export const damaged = (position: unknown): WorkerFault =>
  new WorkerFault({ code: 'Corrupt', message: `the event at position ${String(position)} is damaged: it is not what was written` });
