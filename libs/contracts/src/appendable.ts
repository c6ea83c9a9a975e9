import { MAX_APPEND_BYTES } from '@palimpsest/knowledge/ports';

/** Share of an append for event data; the rest is for metadata and framing. */
const DATA_SHARE = 0.8;

/** Splits events, in order, into groups that each fit into one append. */
export function* appendable<E>(events: readonly E[], maxBytes = MAX_APPEND_BYTES * DATA_SHARE): Generator<readonly E[]> {
  let group: E[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (group.length > 0 && bytes + size > maxBytes) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(event);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
