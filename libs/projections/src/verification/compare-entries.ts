import { partitionKey, type IndexEntry, type IndexPartition, type IndexStore } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Difference } from './difference.ts';

type IndexName = 'vectors' | 'lexical';
type Entries = AsyncIterable<IndexEntry>;
/** Lets other work run. @throws when the process stops */
export type Turn = () => Promise<void>;

/** Entries after which the event loop gets a turn: searches are served meanwhile. */
const ENTRIES_PER_TURN = 256;

/** Compares one partition of an index with what the log says. */
export const compareEntries = async (
  store: IndexName,
  partition: IndexPartition,
  expected: ReadonlyMap<ChunkId, string>,
  actual: Entries,
  turn: Turn,
): Promise<readonly Difference[]> => {
  const differences: Difference[] = [];
  const found = new Set<ChunkId>();
  for await (const { chunkId, digest } of inTurns(actual, turn)) {
    const wanted = expected.get(chunkId);
    if (wanted !== digest) differences.push(difference(store, partition, chunkId, wanted === undefined ? 'extra' : 'different'));
    if (wanted !== undefined) found.add(chunkId);
  }
  if (found.size === expected.size) return differences;
  for (const chunkId of expected.keys()) if (!found.has(chunkId)) differences.push(difference(store, partition, chunkId, 'missing'));
  return differences;
};

/** Entries in partitions that are not on the log or are retired. */
export const orphanedEntries = async (
  name: IndexName,
  store: IndexStore,
  known: ReadonlySet<string>,
  turn: Turn,
): Promise<readonly Difference[]> => {
  const found: Difference[] = [];
  for (const partition of await store.partitions()) {
    if (known.has(partitionKey(partition))) continue;
    for await (const { chunkId } of inTurns(store.entries(partition), turn)) found.push(difference(name, partition, chunkId, 'extra'));
  }
  return found;
};

async function* inTurns(entries: Entries, turn: Turn): Entries {
  let n = 0;
  for await (const entry of entries) {
    if (++n % ENTRIES_PER_TURN === 0) await turn();
    yield entry;
  }
}

const difference = (
  store: IndexName,
  { scope: { tenant, scope }, generation }: IndexPartition,
  chunkId: ChunkId,
  kind: Difference['kind'],
): Difference => ({ store, kind, chunkId, tenant, scope, generation });
