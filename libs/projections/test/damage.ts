import fc from 'fast-check';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, knowledgeBaseId, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { Disk } from './fixture.ts';
import { SCOPE, theChunk, theDocument } from '@palimpsest/test-kit/histories';

/** Damage that no fact causes. `entry`: which of the entries, counted over all partitions. `nth`: which of the documents. */
export type Damage =
  | Readonly<{ harm: 'missing' | 'different' | 'extra'; store: 'vectors' | 'lexical'; entry: number }>
  | Readonly<{ harm: 'orphan'; store: 'vectors' | 'lexical' }>
  | Readonly<{ harm: 'missing document' | 'different document' | 'extra document' | 'extra knowledge base' }>;

const store = fc.constantFrom('vectors' as const, 'lexical' as const);

export const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ harm: fc.constantFrom('missing' as const, 'different' as const, 'extra' as const), store, entry: fc.nat(20) }),
  fc.record({ harm: fc.constant('orphan' as const), store }),
  fc.record({
    harm: fc.constantFrom(
      'missing document' as const,
      'different document' as const,
      'extra document' as const,
      'extra knowledge base' as const,
    ),
  }),
);

const AT = '2026-01-01T00:00:00Z';
const STRAY = theChunk('z', 'stray');
const ORPHAN = generationId('g99');

const vector = (first: number): Float32Array => Float32Array.from({ length: 8 }, (_, i) => (i === first ? 1 : 0));

type Entry = Readonly<{ partition: IndexPartition; chunkId: ChunkId }>;

const entriesOf = async (index: Disk['vectors'] | Disk['lexical']): Promise<readonly Entry[]> => {
  const found: Entry[] = [];
  for (const partition of await index.partitions())
    for await (const { chunkId } of index.entries(partition)) found.push({ partition, chunkId });
  return found;
};

/** Changes what is stored, while nothing is projected. `at`: the position of the read models. Returns whether there was something to change. */
export const plant = async (disk: Disk, damage: Damage, at: Position): Promise<boolean> => {
  const put = async (index: 'vectors' | 'lexical', partition: IndexPartition, chunkId: ChunkId): Promise<void> => {
    const attributes = { documentId: theDocument('z') };
    if (index === 'vectors') await disk.vectors.apply(partition, [{ write: 'put', chunkId, vector: vector(3), attributes }], at);
    else await disk.lexical.apply(partition, [{ write: 'put', chunkId, text: 'pear', language: 'en', attributes }], at);
  };
  switch (damage.harm) {
    case 'orphan':
      await put(damage.store, { scope: SCOPE, generation: ORPHAN }, STRAY);
      return true;
    case 'missing':
    case 'different':
    case 'extra': {
      const entries = await entriesOf(disk[damage.store]);
      const { partition, chunkId } = entries[damage.entry % Math.max(1, entries.length)] ?? {};
      if (partition === undefined || chunkId === undefined) return false;
      if (damage.harm === 'missing') await disk[damage.store].apply(partition, [{ write: 'remove', chunkId }], at);
      else await put(damage.store, partition, damage.harm === 'extra' ? STRAY : chunkId);
      return true;
    }
    default:
      return plantRow(disk, damage.harm);
  }
};

const plantRow = async ({ catalog }: Disk, harm: string): Promise<boolean> => {
  const before = await catalog.position();
  const base = { ...SCOPE, knowledgeBase: knowledgeBaseId('handbook') };
  const document = { documentId: theDocument('a'), version: 1 };
  const change =
    harm === 'missing document'
      ? { change: 'document-deleted' as const, tenant: SCOPE.tenant, documentId: document.documentId }
      : harm === 'different document'
        ? { change: 'document-failed' as const, tenant: SCOPE.tenant, ...document, reason: 'corrupt', detail: 'It was not.', at: AT }
        : harm === 'extra knowledge base'
          ? {
              change: 'knowledge-base-created' as const,
              ...SCOPE,
              id: knowledgeBaseId('unknown'),
              settings: { name: 'Unknown', description: '', chunking: {} as never },
              at: AT,
            }
          : {
              change: 'document-submitted' as const,
              ...base,
              documentId: theDocument('z'),
              sourceId: 'z.md' as never,
              version: 1,
              title: 'z',
              mediaType: 'text/plain',
              bytes: 1,
              checksum: 'f'.repeat(64) as never,
              labels: {},
              origin: 'UserContent' as const,
              at: AT,
            };
  // The position of the catalog must not be that of a later fact, which would then be skipped.
  catalog.damage([change]);
  return (await catalog.position()) === before;
};
