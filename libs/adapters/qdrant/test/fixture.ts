import { authorise, type Attributes } from '@palimpsest/knowledge/access';
import type {
  IndexEntry,
  IndexPartition,
  IndexRemoval,
  ReadablePartition,
  VectorIndex,
  VectorPut,
} from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  embeddingVersion,
  generationId,
  position,
  tenantId,
  vectorScope,
  type ChunkId,
  type Position,
} from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';

/** Real encryption; the same keys for every index of a suite, as in every process of an installation. */
export const KEYS = new InMemoryScopeKeys();

export const VERSION = embeddingVersion('spec:any/16');

export const aPartition = (scope = 'deployment', tenant = 'acme', generation = 'g1'): IndexPartition => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) },
  generation: generationId(generation),
});

export const readable = ({ scope: { tenant, scope }, generation }: IndexPartition): ReadablePartition => {
  const [permitted] = authorise({ tenant, teams: ['*'], roles: ['reader'], actor: 'spec' }, [scope]);
  if (permitted === undefined) throw new Error(`no caller may read ${scope}`);
  return { scope: permitted, generation };
};

export const aChunk = (number: number): ChunkId => chunkId(number.toString(16).padStart(32, '0'));
export const aPosition = (number: number): Position => position(BigInt(number));
/** Of length exactly 1; a different vector for each number below 65,536. */
export const aVector = (pattern: number): Float32Array => Float32Array.from({ length: 16 }, (_, i) => ((pattern >> i) & 1 ? 0.25 : -0.25));
export const put = (number: number, pattern: number, attributes: Attributes = {}): VectorPut => ({
  write: 'put',
  chunkId: aChunk(number),
  vector: aVector(pattern),
  attributes,
});
export const removal = (number: number): IndexRemoval => ({ write: 'remove', chunkId: aChunk(number) });

export const entriesOf = async (index: VectorIndex, partition: IndexPartition): Promise<readonly IndexEntry[]> => {
  const entries: IndexEntry[] = [];
  for await (const entry of index.entries(partition)) entries.push(entry);
  return entries;
};
