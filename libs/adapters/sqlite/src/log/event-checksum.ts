import { crc32 } from 'node:zlib';
import type { StoredEvent } from './log-calls.ts';

/**
 * CRC-32 over everything that is stored about an event. It covers the place as well as the payload, so that a moved, swapped or
 * truncated row is detected too. It protects against damage, not against tampering. Unsigned 32 bits.
 */
export const eventChecksum = (event: StoredEvent): number => {
  const place = [event.position, event.stream, event.revision, event.recordedAt, event.type, event.id].join('\n');
  return crc32(`\n${event.metadata}`, crc32(`\n${event.data}`, crc32(place)));
};

/** CRC-32 over a stream's age limit, which decides which events are read and which are removed; null for no limit. Unsigned 32 bits. */
export const retentionChecksum = (stream: string, maxAgeMs: number | null): number | null =>
  maxAgeMs === null ? null : crc32(`${stream}\n${maxAgeMs}`);

/** CRC-32 over the first revision that a truncation has left of a stream; null for a stream that was not truncated. Unsigned 32 bits. */
export const firstRevisionChecksum = (stream: string, first: number | null): number | null =>
  first === null ? null : crc32(`${stream}\nfrom ${first}`);
