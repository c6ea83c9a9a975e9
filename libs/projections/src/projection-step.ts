import { fromBase64 } from '@palimpsest/contracts';
import type { ChunkContent, ChunkId, DocumentId, DocumentIndexed, DomainEvent, EmbeddingVersion, Fact, Position, TenantScope } from '@palimpsest/knowledge';
import { ContentBuffer, isIn, readContents, type DocumentContents } from './document-contents.ts';
import type { DeclaredLanguages } from './declared-languages.ts';
import { attributesOf, IndexWrites, lexicalPut, vectorPut } from './index-writes.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import type { ScopeGenerations } from './scope-generations.ts';
import type { Tombstones } from './tombstones.ts';

/** What a run of facts writes where. */
export type Step = { upTo: Position; facts: readonly Fact<DomainEvent>[]; writes: IndexWrites; contents: Map<string, readonly ChunkContent[]>; documents: Map<string, DocumentContents> };

/** Works out what a run of facts leads to in the indexes, and what of it the catalogue needs; writes nothing. */
export class ProjectionSteps {
  readonly #stores: ReadModelStores;
  readonly #generations: ScopeGenerations;
  readonly #tombstones: Tombstones;
  readonly #declared: DeclaredLanguages;
  readonly #buffer = new ContentBuffer();

  /** `generations`: as far as was written; whoever writes brings it forward. */
  constructor(stores: ReadModelStores, generations: ScopeGenerations, tombstones: Tombstones, declared: DeclaredLanguages) {
    this.#stores = stores;
    this.#generations = generations;
    this.#tombstones = tombstones;
    this.#declared = declared;
  }

  async of(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Step> {
    const step = newStep(facts, upTo);
    for (const fact of facts) await this.#collect(fact, step);
    return step;
  }

  async #collect(fact: Fact<DomainEvent>, step: Step): Promise<void> {
    const { event } = fact;
    switch (event.type) {
      case 'KnowledgeBaseCreated':
      case 'KnowledgeBaseConfigured':
        return this.#declared.forget(fact);
      case 'KnowledgeChunkIndexed':
        return this.#buffer.add(fact, event.data.documentId);
      case 'KnowledgeChunkReembedded':
      case 'KnowledgeChunkReembedFailed':
        this.#buffer.add(fact, event.data.documentId);
        return this.#reembedded(fact, event.data.documentId, step);
      case 'DocumentIndexed':
        return this.#indexed(fact as Fact<DocumentIndexed>, step);
      case 'DocumentDeleted':
        return this.#remove(fact, event.data.chunks, step);
      default:
        return undefined;
    }
  }

  async #indexed(fact: Fact<DocumentIndexed>, step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    const { documentId, written, removed } = fact.event.data;
    if (this.#tombstones.hasDocument(scope.tenant, documentId, fact.position)) return this.#remove(fact, removed, step);
    const live = this.#generations.live(scope);
    const buffered = this.#buffer.take(scope.tenant, documentId, written);
    const complete = buffered && written.every((id) => live.every(({ embeddingVersion }) => hasAll(buffered, id, embeddingVersion)));
    const contents = complete ? buffered : await readContents(this.#stores.journal, scope.tenant, documentId, fact.position);
    await this.put(scope, contents, { indexed: fact.event.data, at: fact.position }, written, step.writes);
    step.contents.set(fact.id, catalogContents(contents, written));
    await this.#remove(fact, removed, step);
  }

  /** A vector, or its refusal, came later than its chunk's document was indexed: only then is there something to write. */
  async #reembedded(fact: Fact<DomainEvent>, id: DocumentId, step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    const { data } = fact.event as Extract<DomainEvent, { type: 'KnowledgeChunkReembedded' | 'KnowledgeChunkReembedFailed' }>;
    if (!this.#generations.live(scope).some(({ embeddingVersion }) => embeddingVersion === data.embeddingVersion)) return;
    // Read as of the end of the step, once for all of its chunks: what comes in between has its own, later, writes.
    const key = `${scope.tenant}/${id}`;
    const contents = step.documents.get(key) ?? (await readContents(this.#stores.journal, scope.tenant, id, step.upTo));
    step.documents.set(key, contents);
    if (contents.indexed?.chunks.some(({ chunkId }) => chunkId === data.chunkId))
      await this.put(scope, contents, { indexed: contents.indexed, at: fact.position }, [data.chunkId], step.writes);
  }

  /** What chunks of a document lead to in every live generation. `wordsOnly`: their vectors are there already. */
  async put(
    scope: TenantScope,
    contents: DocumentContents,
    { indexed, at }: Readonly<{ indexed: DocumentIndexed['data']; at: Position }>,
    ids: readonly ChunkId[],
    writes: IndexWrites,
    wordsOnly = false,
  ): Promise<void> {
    if (!this.#stores.vectors) return;
    const cipher = await this.#stores.keys.cipher(scope);
    const attributes = attributesOf(indexed);
    const languages = { document: indexed.language, declared: await this.#declared.of(scope.tenant, indexed.knowledgeBase, at) };
    for (const id of ids) {
      if (this.#tombstones.hasChunk(scope.tenant, indexed.documentId, id, at)) continue;
      const content = contents.chunks.get(id);
      if (!content) continue;
      for (const generation of this.#generations.live(scope)) {
        const sealed = content.vectors.get(generation.embeddingVersion);
        // Without a vector of this version the chunk waits for its KnowledgeChunkReembedded, unless the model refused it.
        if (!isIn(content, generation.embeddingVersion)) continue;
        writes.add(
          { scope, generation: generation.id },
          {
            write: 'put', chunkId: id, at,
            ...(sealed === undefined || wordsOnly ? {} : { vector: () => vectorPut(cipher, content, generation.embeddingVersion, sealed, attributes) }),
            lexical: once(() => lexicalPut(cipher, content, languages, attributes)),
          },
        );
      }
    }
  }

  async #remove(fact: Fact<DomainEvent>, ids: readonly ChunkId[], step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    for (const { id: generation } of this.#generations.live(scope)) for (const chunkId of ids) step.writes.add({ scope, generation }, { write: 'remove', chunkId, at: fact.position });
  }
}

const hasAll = (contents: DocumentContents, id: ChunkId, version: EmbeddingVersion): boolean => {
  const content = contents.chunks.get(id);
  return content !== undefined && isIn(content, version);
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const newStep = (facts: readonly Fact<DomainEvent>[], upTo: Position): Step => ({ upTo, facts, writes: new IndexWrites(), contents: new Map(), documents: new Map() });

const scopeOf = ({ metadata: { tenant, scope } }: Fact<DomainEvent>): TenantScope | undefined => (scope === undefined ? undefined : { tenant, scope });

const catalogContents = (contents: DocumentContents, ids: readonly ChunkId[]): ChunkContent[] =>
  ids.flatMap((chunkId) => {
    const chunk = contents.chunks.get(chunkId)?.chunk;
    if (!chunk) return [];
    const { contentHash, language, symbol, sealedText } = chunk;
    return [{ chunkId, contentHash, language, sealedText: fromBase64(sealedText), ...(symbol === undefined ? {} : { symbol }) }];
  });
