import type { LogPrefix, StoredEvent } from '@palimpsest/adapters-sqlite';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey } from '@palimpsest/knowledge/ports';

const SUBMITTED = 'DocumentSubmitted';

/** The upload of every submitted version, each once, in log order. Uses constant memory. */
export function* uploadsOf(log: LogPrefix): Generator<BlobKey> {
  for (const event of log.eventsOfType(SUBMITTED)) {
    const { blob, version } = uploadIn(event.data, event);
    // The same bytes have the same blob, and are in the same stream; a first version has no earlier one.
    if (version > 1 && hasEarlier(log, event, blob)) continue;
    yield blobKey(blob);
  }
}

const hasEarlier = (log: LogPrefix, event: StoredEvent, blob: string): boolean => {
  for (const data of log.earlierOfType(SUBMITTED, event)) if (uploadIn(data, event).blob === blob) return true;
  return false;
};

const uploadIn = (data: string, { position }: StoredEvent): Readonly<{ blob: string; version: number }> => {
  const { blob, version } = JSON.parse(data) as { blob?: unknown; version?: unknown };
  if (typeof blob !== 'string' || typeof version !== 'number') throw new Corrupt(`the event at position ${position} names no upload`);
  return { blob, version };
};
