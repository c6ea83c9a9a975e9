import { authorise } from '@palimpsest/knowledge/access';
import type { IndexEntry, IndexPartition, IndexRemoval, IndexStore, ReadablePartition } from '@palimpsest/knowledge/read-models';
import { chunkId, generationId, position, tenantId, vectorScope, type ChunkId, type Position } from '@palimpsest/knowledge/values';

/** The interface that the kits of both indexes use. */
export type WritableIndex<Put> = IndexStore &
  Readonly<{ apply(partition: IndexPartition, writes: readonly (Put | IndexRemoval)[], upTo: Position): Promise<void> }>;

export type IndexUnderTest<Index extends IndexStore> = Readonly<{
  /** Initially empty, unless its folder was not. */
  index: Index;
  /** Closes the index and opens its stored data again. The old one is no longer used. */
  reopen(): Promise<Index>;
  /** Closes it and removes its data. */
  dispose(): Promise<void>;
  /** The folder of its files, if it has any. */
  folder?: string;
}>;

export const aPartition = (scope = 'deployment', { tenant = 'acme', generation = 'g1' } = {}): IndexPartition => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) },
  generation: generationId(generation),
});

/** The same partition in the form that reads require. */
export const readable = ({ scope: { tenant, scope }, generation }: IndexPartition): ReadablePartition => {
  const user = scope.startsWith('user:') ? { user: scope.slice('user:'.length) } : {};
  const [permitted] = authorise({ tenant, teams: ['*'], ...user, roles: ['reader'], actor: 'kit' }, [scope]);
  if (permitted === undefined) throw new Error(`the kit may not read ${scope}`);
  return { scope: permitted, generation };
};

/** Chunk ids in the order of their numbers. */
export const aChunk = (number: number): ChunkId => chunkId(number.toString(16).padStart(32, '0'));

export const aPosition = (number: number): Position => position(BigInt(number));

export const removal = (number: number): IndexRemoval => ({ write: 'remove', chunkId: aChunk(number) });

export const entriesOf = async (index: IndexStore, partition: IndexPartition): Promise<IndexEntry[]> => {
  const entries: IndexEntry[] = [];
  for await (const entry of index.entries(partition)) entries.push(entry);
  return entries;
};

/** Runs `body` with its own index. */
export const withIndex = async <Under extends Readonly<{ dispose(): Promise<void> }>>(
  open: () => Promise<Under>,
  body: (under: Under) => Promise<void>,
): Promise<void> => {
  const under = await open();
  try {
    await body(under);
  } finally {
    await under.dispose();
  }
};
