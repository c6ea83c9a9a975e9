import { MAX_APPEND_BYTES } from '@palimpsest/knowledge';

/** Left for the metadata of each event and the frame around it. */
const ROOM = 0.8;

/** Events in groups that each fit into one append, in their order; long vectors and many labels make small groups. */
export function* appendable<E>(events: readonly E[], maxBytes = MAX_APPEND_BYTES * ROOM): Generator<readonly E[]> {
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
