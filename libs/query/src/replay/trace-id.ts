import type { System } from '@palimpsest/foundation';

/**
 * A new trace id: a UUID of version 7 (RFC 9562), which begins with the time in milliseconds. So the record of a retrieval is found by the
 * time of its id, without an index of all records.
 */
export const newTraceId = ({ ids, clock }: Pick<System, 'ids' | 'clock'>): string => {
  const time = Math.max(0, Math.floor(clock.now())).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${ids.next().slice(15)}`;
};

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The time of a trace id, in milliseconds since 1970; undefined for the random ones of earlier versions. */
export const timeOfTrace = (traceId: string): number | undefined =>
  VERSION_7.test(traceId) ? Number.parseInt(traceId.slice(0, 8) + traceId.slice(9, 13), 16) : undefined;
