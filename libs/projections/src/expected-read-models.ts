import { scopeKey } from '@palimpsest/knowledge';
import type { ChunkId, DomainEvent, Fact, IndexPartition, LexicalPut, Position, ScopeEvent, ScopeKeys, Sha256, TenantScope, VectorPut } from '@palimpsest/knowledge';
import type { Journal } from '@palimpsest/contracts';
import { attributesOf, lexicalPut, vectorPut } from './index-writes.ts';
import { readContents } from './document-contents.ts';
import { isScopeEvent, ScopeGenerations } from './scope-generations.ts';

/** What an index should hold for a chunk, as a digest; the adapters' own functions, so that both sides count the same. */
export type Digests = Readonly<{ vector: (put: VectorPut) => string; lexical: (put: LexicalPut) => string }>;

export type ExpectedPartition = Readonly<{ partition: IndexPartition; vectors: ReadonlyMap<ChunkId, string>; lexical: ReadonlyMap<ChunkId, string> }>;
export type ExpectedReadModels = Readonly<{
  partitions: readonly ExpectedPartition[];
  scopes: readonly Readonly<{ scope: TenantScope; contentHashes: ReadonlyMap<ChunkId, Sha256> }>[];
}>;

/**
 * What the read models should hold at a position, from the log alone, without asking how they were built: the documents
 * that are indexed then, and what each document's stream says of its chunks.
 */
export const expectedReadModels = async (journal: Journal, keys: ScopeKeys, digests: Digests, upTo: Position): Promise<ExpectedReadModels> => {
  const generations = new ScopeGenerations();
  const indexed = new Map<string, { scope: TenantScope; documents: Map<string, Fact<Extract<DomainEvent, { type: 'DocumentIndexed' }>>> }>();
  const types = ['ScopeOpened', 'GenerationStarted', 'GenerationActivated', 'GenerationRetired', 'DocumentIndexed', 'DocumentDeleted'];
  for await (const fact of journal.readAll({ types })) {
    if (fact.position > upTo) break;
    const { event, metadata } = fact;
    if (isScopeEvent(event)) generations.evolve(fact as Fact<ScopeEvent>);
    if (metadata.scope === undefined || (event.type !== 'DocumentIndexed' && event.type !== 'DocumentDeleted')) continue;
    const scope = { tenant: metadata.tenant, scope: metadata.scope };
    const known = indexed.get(scopeKey(scope)) ?? { scope, documents: new Map() };
    indexed.set(scopeKey(scope), known);
    if (event.type === 'DocumentDeleted') known.documents.delete(event.data.documentId);
    else known.documents.set(event.data.documentId, fact as Fact<Extract<DomainEvent, { type: 'DocumentIndexed' }>>);
  }

  const partitions: ExpectedPartition[] = [];
  const scopes: { scope: TenantScope; contentHashes: Map<ChunkId, Sha256> }[] = [];
  for (const { scope, documents } of indexed.values()) {
    const cipher = await keys.cipher(scope);
    const contentHashes = new Map<ChunkId, Sha256>();
    const ofScope = generations.live(scope).map(({ id, embeddingVersion }) => ({
      embeddingVersion,
      partition: { scope, generation: id },
      vectors: new Map<ChunkId, string>(),
      lexical: new Map<ChunkId, string>(),
    }));
    for (const { event } of documents.values()) {
      const contents = await readContents(journal, scope.tenant, event.data.documentId, upTo);
      const attributes = attributesOf(event.data);
      for (const { chunkId } of event.data.chunks) {
        const content = contents.chunks.get(chunkId);
        if (!content) continue;
        contentHashes.set(chunkId, content.chunk.contentHash);
        let lexical: string | undefined;
        for (const expected of ofScope) {
          const sealed = content.vectors.get(expected.embeddingVersion);
          if (sealed === undefined) continue;
          expected.vectors.set(chunkId, digests.vector(vectorPut(cipher, content, expected.embeddingVersion, sealed, attributes)));
          lexical ??= digests.lexical(lexicalPut(cipher, content, attributes));
          expected.lexical.set(chunkId, lexical);
        }
      }
    }
    partitions.push(...ofScope);
    scopes.push({ scope, contentHashes });
  }
  return { partitions, scopes };
};

