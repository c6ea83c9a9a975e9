import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { canonicalJson } from './canonical-json.ts';
import { sha256 } from './digests.ts';

/**
 * Digest (32 bytes) of everything that the log stores about an event, except its position. Sealed fields are covered as they are stored, so
 * it can still be checked when their key is destroyed.
 */
export const recordDigest = (record: RecordedEvent): Buffer => sha256(recordText(record));

const recordText = ({ stream, revision, recordedAt, type, id, data, metadata }: RecordedEvent): string => {
  const value = { stream, revision, recordedAt, type, id, data, metadata };
  try {
    return canonicalJson(value);
  } catch {
    // RFC 8785 has no form for unpaired surrogates, but JSON has one, and an event may contain them.
    return canonicalJson({ json: JSON.stringify(value) });
  }
};
