import {
  authorise, chunkId, generationId, position, tenantId, vectorScope,
  type ChunkId, type IndexEntry, type IndexPartition, type IndexRemoval, type IndexStore, type Position, type ReadablePartition,
} from '@palimpsest/knowledge';

/** What the kits of both indexes work with. */
export type WritableIndex<Put> = IndexStore & Readonly<{ apply(partition: IndexPartition, writes: readonly (Put | IndexRemoval)[], upTo: Position): Promise<void> }>;

export type IndexUnderTest<Index extends IndexStore> = Readonly<{
  /** Empty at the beginning, unless it was opened on a folder that is not. */
  index: Index;
  /** Closes the index and opens it again on what it stored. The old one is not used any more. */
  reopen(): Promise<Index>;
  /** Closes it and removes whatever it left behind. */
  dispose(): Promise<void>;
  /** Where its files lie, if it has any. */
  folder?: string;
}>;

export const aPartition = (scope = 'deployment', { tenant = 'acme', generation = 'g1' } = {}): IndexPartition => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) },
  generation: generationId(generation),
});

/** The same partition as a read has to name it. */
export const readable = ({ scope: { tenant, scope }, generation }: IndexPartition): ReadablePartition => {
  const user = scope.startsWith('user:') ? { user: scope.slice('user:'.length) } : {};
  const [permitted] = authorise({ tenant, teams: ['*'], ...user, roles: ['reader'], actor: 'kit' }, [scope]);
  if (permitted === undefined) throw new Error(`nobody may read ${scope}`);
  return { scope: permitted, generation };
};

/** Chunk ids whose order is the order of their numbers. */
export const aChunk = (number: number): ChunkId => chunkId(number.toString(16).padStart(32, '0'));

export const aPosition = (number: number): Position => position(BigInt(number));

export const removal = (number: number): IndexRemoval => ({ write: 'remove', chunkId: aChunk(number) });

export const entriesOf = async (index: IndexStore, partition: IndexPartition): Promise<IndexEntry[]> => {
  const entries: IndexEntry[] = [];
  for await (const entry of index.entries(partition)) entries.push(entry);
  return entries;
};

/** Runs `body` on an index of its own. */
export const withIndex = async <Under extends Readonly<{ dispose(): Promise<void> }>>(open: () => Promise<Under>, body: (under: Under) => Promise<void>): Promise<void> => {
  const under = await open();
  try {
    await body(under);
  } finally {
    await under.dispose();
  }
};
