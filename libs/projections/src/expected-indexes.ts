import { scopeKey } from '@palimpsest/knowledge';
import type {
  Attributes, ChunkId, DocumentId, DocumentIndexed, EmbeddingVersion, Fact, Generation, IndexPartition, LexicalPut, Position, ScopeCipher, ScopeEvent, ScopeKeys, TenantScope, VectorPut,
} from '@palimpsest/knowledge';
import type { Journal } from '@palimpsest/contracts';
import { DeclaredLanguages } from './declared-languages.ts';
import { attributesOf, lexicalPut, vectorPut, type FallbackLanguages } from './index-writes.ts';
import { isIn, readContents, type DocumentContents, type RecordedContent } from './document-contents.ts';
import { isScopeEvent, ScopeGenerations } from './scope-generations.ts';

/** What an index should hold for a chunk, as a digest; the adapters' own functions, so that both sides count the same. */
export type Digests = Readonly<{ vector: (put: VectorPut) => string; lexical: (put: LexicalPut) => string }>;

export type ExpectedPartition = Readonly<{ partition: IndexPartition; vectors: ReadonlyMap<ChunkId, string>; lexical: ReadonlyMap<ChunkId, string> }>;

/**
 * What the indexes should hold at a position, from the log alone, without asking how they were built: the documents
 * that are indexed then, and what each document's stream says of its chunks. By tenant and name of the scope, its generations as
 * they were started: equal for equal contents, whatever was indexed first.
 */
export const expectedIndexes = async (journal: Journal, keys: ScopeKeys, digests: Digests, upTo: Position): Promise<readonly ExpectedPartition[]> => {
  const generations = new ScopeGenerations();
  const declared = new DeclaredLanguages(journal);
  const partitions: ExpectedPartition[] = [];
  for (const { scope, documents } of await indexedDocuments(journal, generations, upTo)) {
    const expected = new ExpectedScope(scope, generations.live(scope), await keys.cipher(scope), digests);
    for (const indexed of documents.values()) {
      const languages = { document: indexed.language, declared: await declared.of(scope.tenant, indexed.knowledgeBase, upTo) };
      expected.add(indexed, await readContents(journal, scope.tenant, indexed.documentId, upTo), languages);
    }
    partitions.push(...expected.partitions);
  }
  return partitions;
};

type IndexedScope = Readonly<{ scope: TenantScope; documents: Map<DocumentId, DocumentIndexed['data']> }>;

/** Which documents searches see at that position; brings `generations` there as well. */
const indexedDocuments = async (journal: Journal, generations: ScopeGenerations, upTo: Position): Promise<readonly IndexedScope[]> => {
  const scopes = new Map<string, IndexedScope>();
  const types = ['ScopeOpened', 'GenerationStarted', 'GenerationActivated', 'GenerationRetired', 'DocumentIndexed', 'DocumentDeleted'];
  for await (const fact of journal.readAll({ types })) {
    if (fact.position > upTo) break;
    const { event, metadata } = fact;
    if (isScopeEvent(event)) generations.evolve(fact as Fact<ScopeEvent>);
    if (metadata.scope === undefined || (event.type !== 'DocumentIndexed' && event.type !== 'DocumentDeleted')) continue;
    const scope = { tenant: metadata.tenant, scope: metadata.scope };
    const known = scopes.get(scopeKey(scope)) ?? { scope, documents: new Map() };
    scopes.set(scopeKey(scope), known);
    if (event.type === 'DocumentDeleted') known.documents.delete(event.data.documentId);
    else known.documents.set(event.data.documentId, event.data);
  }
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, scope]) => scope);
};

/** What each live generation of a scope should hold; grows document by document. */
class ExpectedScope {
  readonly partitions: readonly (ExpectedPartition & { embeddingVersion: EmbeddingVersion; vectors: Map<ChunkId, string>; lexical: Map<ChunkId, string> })[];
  readonly #cipher: ScopeCipher;
  readonly #digests: Digests;

  constructor(scope: TenantScope, live: readonly Generation[], cipher: ScopeCipher, digests: Digests) {
    this.#cipher = cipher;
    this.#digests = digests;
    this.partitions = live.map(({ id, embeddingVersion }) => ({ embeddingVersion, partition: { scope, generation: id }, vectors: new Map(), lexical: new Map() }));
  }

  add(indexed: DocumentIndexed['data'], contents: DocumentContents, languages: FallbackLanguages): void {
    const attributes = attributesOf(indexed);
    for (const { chunkId } of indexed.chunks) {
      const content = contents.chunks.get(chunkId);
      if (!content) continue;
      const lexical = this.#digests.lexical(lexicalPut(this.#cipher, content, languages, attributes));
      this.#addTo(content, attributes, lexical);
    }
  }

  #addTo(content: RecordedContent, attributes: Attributes, lexical: string): void {
    const { chunkId } = content.chunk;
    for (const expected of this.partitions) {
      if (!isIn(content, expected.embeddingVersion)) continue;
      const sealed = content.vectors.get(expected.embeddingVersion);
      if (sealed !== undefined) expected.vectors.set(chunkId, this.#digests.vector(vectorPut(this.#cipher, content, expected.embeddingVersion, sealed, attributes)));
      expected.lexical.set(chunkId, lexical);
    }
  }
}
