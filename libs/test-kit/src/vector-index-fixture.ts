import {
  authorise, chunkId, generationId, position, tenantId, vectorScope,
  type Attributes, type ChunkId, type IndexEntry, type IndexPartition, type IndexRemoval, type Position, type ReadablePartition,
  type VectorIndex, type VectorPut,
} from '@palimpsest/knowledge';

export type VectorIndexUnderTest = Readonly<{
  /** Empty at the beginning, unless it was opened on a folder that is not. */
  index: VectorIndex;
  /** Closes the index and opens it again on what it stored. The old one is not used any more. */
  reopen(): Promise<VectorIndex>;
  /** Closes it and removes whatever it left behind. */
  dispose(): Promise<void>;
  /** Where its files lie, if it has any. */
  folder?: string;
}>;

export type VectorWrite = VectorPut | IndexRemoval;

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

/** Sixteen times ±1/4 by the bits of `pattern`: of length exactly 1, and all dot products are exact in float32, in any order. */
export const exactVector = (pattern: number): Float32Array => Float32Array.from({ length: 16 }, (_, i) => ((pattern >> i) & 1 ? 0.25 : -0.25));

/** Any numbers as a vector of length 1; all zeros become the first axis. */
export const unitVector = (values: readonly number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value, i) => (length > 1e-6 ? value / length : i === 0 ? 1 : 0));
};

export const put = (number: number, vector: Float32Array, attributes: Attributes = {}): VectorPut => ({
  write: 'put', chunkId: aChunk(number), vector, attributes,
});

export const removal = (number: number): IndexRemoval => ({ write: 'remove', chunkId: aChunk(number) });

export const entriesOf = async (index: VectorIndex, partition: IndexPartition): Promise<IndexEntry[]> => {
  const entries: IndexEntry[] = [];
  for await (const entry of index.entries(partition)) entries.push(entry);
  return entries;
};

/** Runs `body` on an index of its own. */
export const withVectorIndex = async <Under extends VectorIndexUnderTest>(
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
