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
