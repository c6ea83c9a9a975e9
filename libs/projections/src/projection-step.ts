import { cipherIfAny, fromBase64, sealing } from '@palimpsest/contracts';
import { projection } from '@palimpsest/knowledge/events';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type {
  DocumentIndexed,
  DomainEvent,
  DomainEventType,
  Fact,
  KnowledgeChunkReembedded,
  KnowledgeChunkReembedFailed,
} from '@palimpsest/knowledge/events';
import type { ChunkContent } from '@palimpsest/knowledge/read-models';
import type { ChunkId, EmbeddingVersion, GenerationId, Position, TenantScope } from '@palimpsest/knowledge/values';
import { ContentBuffer, isIn, readContents, type DocumentContents } from './document-contents.ts';
import type { DeclaredLanguages } from './declared-languages.ts';
import { attributesOf, fieldsOf, IndexWrites, lexicalPut, vectorPut } from './index-writes.ts';
import type { ProjectionTarget } from './read-model-stores.ts';
import type { ScopeGenerations } from './scope-generations.ts';
import type { Tombstones } from './tombstones.ts';

/** The writes that follow from several consecutive facts. */
export type Step = {
  upTo: Position;
  facts: readonly Fact<DomainEvent>[];
  writes: IndexWrites;
  contents: Map<string, readonly ChunkContent[]>;
  documents: Map<string, DocumentContents>;
};

/** `wordsOnly`: the vectors are already indexed. `generation`: the others already have the chunks. */
export type PutOptions = Readonly<{ wordsOnly?: boolean; generation?: GenerationId }>;

/** Computes the index writes of consecutive facts, and the contents that the catalog needs; writes nothing. */
export class ProjectionSteps {
  readonly #stores: ProjectionTarget;
  readonly #generations: ScopeGenerations;
  readonly #tombstones: Tombstones;
  readonly #declared: DeclaredLanguages;
  readonly #buffer = new ContentBuffer();
  readonly #indexes = projection<'indexes', Step, Promise<void> | void>('indexes', {
    KnowledgeBaseCreated: (fact) => this.#declared.forget(fact),
    KnowledgeBaseConfigured: (fact) => this.#declared.forget(fact),
    KnowledgeChunkIndexed: (fact) => this.#buffer.add(fact, fact.event.data.documentId),
    KnowledgeChunkReembedded: (fact, step) => this.#reembedded(fact, step),
    KnowledgeChunkReembedFailed: (fact, step) => this.#reembedded(fact, step),
    DocumentIndexed: (fact, step) => this.#indexed(fact, step),
    DocumentDeleted: (fact, step) => this.#deleted(fact, fact.event.data.chunks, step),
    // The projector handles it, between two steps.
    DocumentHistoryRemoved: () => undefined,
    // Only what a version contains when it is complete is searched.
    // They change which generations are written: the projector handles them, between two steps.
  });

  /** `generations`: as of the last write; the writer advances it. */
  constructor(stores: ProjectionTarget, generations: ScopeGenerations, tombstones: Tombstones, declared: DeclaredLanguages) {
    this.#stores = stores;
    this.#generations = generations;
    this.#tombstones = tombstones;
    this.#declared = declared;
  }

  /** The event types that change the indexes, apart from those of scopes. */
  get handles(): readonly DomainEventType[] {
    return this.#indexes.handles;
  }

  async of(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Step> {
    const step = newStep(facts, upTo);
    for (const fact of facts) await this.#indexes.project(fact, step);
    return step;
  }

  #deleted(fact: Fact<DomainEvent>, chunks: readonly ChunkId[], step: Step): void {
    const scope = scopeOf(fact);
    if (scope) remove(this.#generations.live(scope), fact, chunks, step);
  }

  async #indexed(fact: Fact<DocumentIndexed>, step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    const { documentId, chunkList, removed } = fact.event.data;
    if (!this.#generations.hasList(scope, chunkList)) return;
    const live = this.#generations.liveWith(scope, chunkList);
    const written = this.#writtenBy(fact);
    if (this.#tombstones.hasDocument(scope.tenant, documentId, fact.position)) return remove(live, fact, removed, step);
    const buffered = this.#buffer.take(scope.tenant, documentId, written);
    const complete = buffered && written.every((id) => live.every(({ embeddingVersion }) => hasAll(buffered, id, embeddingVersion)));
    const contents = complete ? buffered : await readContents(this.#stores.journal, scope.tenant, documentId, fact.position);
    await this.put(scope, contents, { indexed: fact.event.data, at: fact.position }, written, step.writes);
    step.contents.set(fact.id, catalogContents(contents, written));
    remove(live, fact, removed, step);
  }

  /** All chunks, if the log may no longer have the facts that wrote some of them before. */
  #writtenBy({ event: { data }, metadata: { tenant } }: Fact<DocumentIndexed>): readonly ChunkId[] {
    const isComplete = !this.#tombstones.lacksHistory(tenant, data.documentId);
    return isComplete ? data.written : data.chunks.map(({ chunkId }) => chunkId);
  }

  /** Writes only if the vector, or its refusal, was recorded after the chunk's document was indexed. */
  async #reembedded(fact: Fact<KnowledgeChunkReembedded | KnowledgeChunkReembedFailed>, step: Step): Promise<void> {
    const { data } = fact.event;
    const id = data.documentId;
    this.#buffer.add(fact, id);
    // Written with the chunk.
    if (data.keptFrom !== undefined) return;
    const scope = scopeOf(fact);
    if (!scope) return;
    if (!this.#generations.live(scope).some(({ embeddingVersion }) => embeddingVersion === data.embeddingVersion)) return;
    // Reads the state at the end of the step, once for all of its chunks: facts in between have their own, later writes.
    const key = `${scope.tenant}/${id}`;
    const contents = step.documents.get(key) ?? (await readContents(this.#stores.journal, scope.tenant, id, step.upTo));
    step.documents.set(key, contents);
    for (const indexed of contents.indexed.values())
      if (indexed.chunks.some(({ chunkId }) => chunkId === data.chunkId))
        await this.put(scope, contents, { indexed, at: fact.position }, [data.chunkId], step.writes);
  }

  /** Adds the writes of chunks for the live generations with their chunk list. */
  async put(
    scope: TenantScope,
    contents: DocumentContents,
    { indexed, at }: Readonly<{ indexed: DocumentIndexed['data']; at: Position }>,
    ids: readonly ChunkId[],
    writes: IndexWrites,
    { wordsOnly = false, generation: only }: PutOptions = {},
  ): Promise<void> {
    if (!this.#stores.vectors) return;
    const cipher = await cipherIfAny(this.#stores.keys, sealing(scope, contents.subject));
    // The scope or the data subject was erased: what the log says about it can no longer be read.
    if (cipher === undefined) return;
    const attributes = attributesOf(indexed);
    const ofDocument = { attributes, fields: fieldsOf(indexed) };
    const languages = { document: indexed.language, declared: await this.#declared.of(scope.tenant, indexed.knowledgeBase, at) };
    const live = this.#generations.liveWith(scope, indexed.chunkList).filter(({ id }) => only === undefined || id === only);
    for (const id of ids) {
      if (this.#tombstones.hasChunk(scope.tenant, indexed, id, at)) continue;
      const content = contents.chunks.get(id);
      if (!content) continue;
      for (const generation of live) {
        const sealed = content.vectors.get(generation.embeddingVersion);
        // Without a vector of this version the chunk waits for its KnowledgeChunkReembedded, unless the model refused it.
        if (!isIn(content, generation.embeddingVersion)) continue;
        writes.add(
          { scope, generation: generation.id },
          {
            write: 'put',
            chunkId: id,
            at,
            ...(sealed === undefined || wordsOnly
              ? {}
              : { vector: () => vectorPut(cipher, content, generation.embeddingVersion, sealed, attributes) }),
            lexical: once(() => lexicalPut(cipher, content, languages, ofDocument)),
          },
        );
      }
    }
  }
}

const remove = (live: readonly Generation[], fact: Fact<DomainEvent>, ids: readonly ChunkId[], step: Step): void => {
  const scope = scopeOf(fact);
  if (!scope) return;
  for (const { id: generation } of live)
    for (const chunkId of ids) step.writes.add({ scope, generation }, { write: 'remove', chunkId, at: fact.position });
};

const hasAll = (contents: DocumentContents, id: ChunkId, version: EmbeddingVersion): boolean => {
  const content = contents.chunks.get(id);
  return content !== undefined && isIn(content, version);
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const newStep = (facts: readonly Fact<DomainEvent>[], upTo: Position): Step => ({
  upTo,
  facts,
  writes: new IndexWrites(),
  contents: new Map(),
  documents: new Map(),
});

const scopeOf = ({ metadata: { tenant, scope } }: Fact<DomainEvent>): TenantScope | undefined =>
  scope === undefined ? undefined : { tenant, scope };

/** What the catalog needs of chunks. */
export const catalogContents = (contents: DocumentContents, ids: readonly ChunkId[]): ChunkContent[] =>
  ids.flatMap((chunkId) => {
    const chunk = contents.chunks.get(chunkId)?.chunk;
    if (!chunk) return [];
    const { contentHash, language, symbol, sealedText } = chunk;
    return [{ chunkId, contentHash, language, sealedText: fromBase64(sealedText), ...(symbol === undefined ? {} : { symbol }) }];
  });
