import { chunkListOf, scopeKey } from '@palimpsest/knowledge/values';
import type { Attributes } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { DocumentIndexed } from '@palimpsest/knowledge/events';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId, EmbeddingVersion, Position, TenantScope } from '@palimpsest/knowledge/values';
import type { Journal } from '@palimpsest/contracts';
import type { Digests } from '../src/views/log-view.ts';
import { DeclaredLanguages } from '../src/declared-languages.ts';
import { attributesOf, fieldsOf, lexicalPut, vectorPut, type FallbackLanguages } from '../src/index-writes.ts';
import { isIn, readContents, type DocumentContents, type RecordedContent } from '../src/document-contents.ts';
import { generationProjection, ScopeGenerations } from '../src/scope-generations.ts';

export type ExpectedPartition = Readonly<{
  partition: IndexPartition;
  vectors: ReadonlyMap<ChunkId, string>;
  lexical: ReadonlyMap<ChunkId, string>;
}>;

/**
 * What the indexes should hold at a position, computed without the projector and only from the log: from the documents indexed at that position, and the
 * chunks in each document's stream. Sorted by tenant and scope, generations in the order of their starts: equal for equal contents,
 * regardless of the order of indexing.
 */
export const expectedIndexes = async (
  journal: Journal,
  keys: ScopeKeys,
  digests: Digests,
  upTo: Position,
): Promise<readonly ExpectedPartition[]> => {
  const generations = new ScopeGenerations();
  const declared = new DeclaredLanguages(journal);
  const partitions: ExpectedPartition[] = [];
  for (const { scope, documents } of await indexedDocuments(journal, generations, upTo)) {
    const expected = new ExpectedScope(scope, generations.live(scope), await keys.cipher(scope), digests);
    for (const indexed of [...documents.values()].flatMap((lists) => [...lists.values()])) {
      const languages = { document: indexed.language, declared: await declared.of(scope.tenant, indexed.knowledgeBase, upTo) };
      expected.add(indexed, await readContents(journal, scope.tenant, indexed.documentId, upTo), languages);
    }
    partitions.push(...expected.partitions);
  }
  return partitions;
};

/** `documents`: the last commit of each chunk list of each document. */
type IndexedScope = Readonly<{ scope: TenantScope; documents: Map<DocumentId, Map<ChunkListId, DocumentIndexed['data']>> }>;

const dropLists = (known: IndexedScope | undefined, isGone: (list: ChunkListId) => boolean): void => {
  for (const lists of known?.documents.values() ?? []) for (const list of [...lists.keys()].filter(isGone)) lists.delete(list);
};

/** The documents that searches see at that position; also advances `generations` to it. */
const indexedDocuments = async (journal: Journal, generations: ScopeGenerations, upTo: Position): Promise<readonly IndexedScope[]> => {
  const scopes = new Map<string, IndexedScope>();
  const types = [...generationProjection.handles, 'DocumentIndexed', 'DocumentDeleted'];
  for await (const fact of journal.readAll({ upTo, types })) {
    const { event, metadata } = fact;
    generationProjection.project(fact, generations);
    if (metadata.scope === undefined) continue;
    const scope = { tenant: metadata.tenant, scope: metadata.scope };
    if (event.type === 'GenerationRetired') dropLists(scopes.get(scopeKey(scope)), (list) => !generations.hasList(scope, list));
    if (event.type !== 'DocumentIndexed' && event.type !== 'DocumentDeleted') continue;
    // A list without a live generation is made again for the next one.
    if (event.type === 'DocumentIndexed' && !generations.hasList(scope, event.data.chunkList)) continue;
    const known = scopes.get(scopeKey(scope)) ?? { scope, documents: new Map() };
    scopes.set(scopeKey(scope), known);
    if (event.type === 'DocumentDeleted') known.documents.delete(event.data.documentId);
    else
      known.documents.set(
        event.data.documentId,
        new Map([...(known.documents.get(event.data.documentId) ?? []), [event.data.chunkList, event.data]]),
      );
  }
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, scope]) => scope);
};

/** What each live generation of a scope should hold. Documents are added one at a time. */
class ExpectedScope {
  readonly partitions: readonly (ExpectedPartition & {
    chunkList: ChunkListId;
    embeddingVersion: EmbeddingVersion;
    vectors: Map<ChunkId, string>;
    lexical: Map<ChunkId, string>;
  })[];
  readonly #cipher: ScopeCipher;
  readonly #digests: Digests;

  constructor(scope: TenantScope, live: readonly Generation[], cipher: ScopeCipher, digests: Digests) {
    this.#cipher = cipher;
    this.#digests = digests;
    this.partitions = live.map(({ id, embeddingVersion, recipe }) => ({
      embeddingVersion,
      chunkList: chunkListOf(recipe.chunking),
      partition: { scope, generation: id },
      vectors: new Map(),
      lexical: new Map(),
    }));
  }

  add(indexed: DocumentIndexed['data'], contents: DocumentContents, languages: FallbackLanguages): void {
    const attributes = attributesOf(indexed);
    const ofDocument = { attributes, fields: fieldsOf(indexed) };
    for (const { chunkId } of indexed.chunks) {
      const content = contents.chunks.get(chunkId);
      if (!content) continue;
      const lexical = this.#digests.lexical(lexicalPut(this.#cipher, content, languages, ofDocument));
      this.#addTo(indexed.chunkList, content, attributes, lexical);
    }
  }

  #addTo(list: ChunkListId, content: RecordedContent, attributes: Attributes, lexical: string): void {
    const { chunkId } = content.chunk;
    for (const expected of this.partitions) {
      if (expected.chunkList !== list || !isIn(content, expected.embeddingVersion)) continue;
      const sealed = content.vectors.get(expected.embeddingVersion);
      if (sealed !== undefined)
        expected.vectors.set(
          chunkId,
          this.#digests.vector(vectorPut(this.#cipher, content, expected.embeddingVersion, sealed, attributes)),
        );
      expected.lexical.set(chunkId, lexical);
    }
  }
}
