import { crc32 } from 'node:zlib';
import type { StoredEvent } from './log-calls.ts';

/**
 * CRC-32 over all that is said of an event: its place as well as its payload, so that a row that was moved, swapped or
 * cut is noticed too. It guards against damage, not against forgery. Unsigned 32 bits.
 */
export const eventChecksum = (event: StoredEvent): number => {
  const place = [event.position, event.stream, event.revision, event.recordedAt, event.type, event.id].join('\n');
  return crc32(`\n${event.metadata}`, crc32(`\n${event.data}`, crc32(place)));
};

/** Over a stream's age limit, which decides what is read of it and what is removed; null for none. Unsigned 32 bits. */
export const retentionChecksum = (stream: string, maxAgeMs: number | null): number | null => (maxAgeMs === null ? null : crc32(`${stream}\n${maxAgeMs}`));
