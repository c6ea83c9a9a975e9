import type { Journal } from '@palimpsest/contracts';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import {
  scopeKey,
  type ChunkId,
  type DocumentId,
  type KnowledgeBaseId,
  type Position,
  type TenantId,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { catalogProjection } from '../catalog-projection.ts';
import { DeclaredLanguages } from '../declared-languages.ts';
import { isGenerationEvent } from '../scope-generations.ts';

/**
 * A document that changed, with the chunks whose index entries may have changed. `unchanged`: the number of facts of its stream before the
 * first change.
 */
export type ChangedDocument = Readonly<{ id: DocumentId; scope: TenantScope; chunks: Set<ChunkId>; unchanged: number }>;

/** What the facts of a tenant after a position changed in the read models, apart from scopes that did not exist at that position. */
export class ChangesSince {
  readonly position: Position;
  readonly knowledgeBases = new Set<KnowledgeBaseId>();
  readonly #journal: Journal;
  readonly #tenant: TenantId;
  readonly #maxChunks: number;
  readonly #declared: DeclaredLanguages;
  readonly #documents = new Map<DocumentId, ChangedDocument>();
  #notTaken = new Set<ChangedDocument>();
  /** The facts of each scope until `position` that change its generations. */
  readonly #scopes = new Map<string, readonly Fact<DomainEvent>[]>();
  #read: Position;
  #chunks = 0;

  /** `maxChunks`: changed chunks that may be taken back. */
  constructor(journal: Journal, { tenant, position, maxChunks }: Readonly<{ tenant: TenantId; position: Position; maxChunks: number }>) {
    this.#journal = journal;
    this.#tenant = tenant;
    this.#maxChunks = maxChunks;
    this.#declared = new DeclaredLanguages(journal);
    this.position = position;
    this.#read = position;
  }

  /**
   * Reads the facts that were not read yet, up to the end of the log. Returns false if they cannot be taken back document by document:
   * generations or languages changed, or too many chunks.
   */
  async readOn(signal: AbortSignal): Promise<boolean> {
    const { log } = this.#journal;
    const upTo = await log.head();
    // The chunks of a version change nothing before its `DocumentIndexed`.
    for await (const recorded of log.readAll({ from: this.#read, upTo, types: catalogProjection.handles })) {
      if (signal.aborted) return false;
      if (recorded.metadata['tenant'] !== this.#tenant) continue;
      if (!(await this.#learn(await this.#journal.decode(recorded)))) return false;
    }
    this.#read = upTo;
    return true;
  }

  /** The documents that changed since the last call, as far as the log was read. */
  take(): readonly ChangedDocument[] {
    const taken = [...this.#notTaken];
    this.#notTaken = new Set();
    return taken;
  }

  /** The facts of a scope until `position` that change its generations; none if it did not exist. */
  async generationsOf(scope: TenantScope): Promise<readonly Fact<DomainEvent>[]> {
    const key = scopeKey(scope);
    const known = this.#scopes.get(key);
    if (known) return known;
    const found: Fact<DomainEvent>[] = [];
    for await (const fact of this.#journal.readStream(scopeStream(scope))) {
      if (fact.position > this.position) break;
      if (isGenerationEvent(fact.event)) found.push(fact);
    }
    this.#scopes.set(key, found);
    return found;
  }

  async #learn(fact: Fact<DomainEvent>): Promise<boolean> {
    const {
      event,
      metadata: { tenant },
    } = fact;
    if (isGenerationEvent(event)) return (await this.generationsOf({ tenant, scope: event.data.scope })).length === 0;
    if (event.type === 'KnowledgeBaseConfigured') {
      this.#declared.forget(fact);
      if (await this.#declared.isChangedBy(fact as Fact<typeof event>)) return false;
    }
    if (event.type.startsWith('KnowledgeBase') && 'id' in event.data) this.knowledgeBases.add(event.data.id as KnowledgeBaseId);
    if ('documentId' in event.data) await this.#changed(fact, event.data.documentId);
    return this.#chunks <= this.#maxChunks;
  }

  async #changed({ event, metadata: { tenant, scope }, revision }: Fact<DomainEvent>, id: DocumentId): Promise<void> {
    if (scope === undefined || (await this.generationsOf({ tenant, scope })).length === 0) return;
    const document = this.#documents.get(id) ?? { id, scope: { tenant, scope }, chunks: new Set(), unchanged: revision };
    this.#documents.set(id, document);
    this.#notTaken.add(document);
    const before = document.chunks.size;
    for (const chunk of chunksOf(event)) document.chunks.add(chunk);
    this.#chunks += document.chunks.size - before;
  }
}

const chunksOf = (event: DomainEvent): readonly ChunkId[] => {
  switch (event.type) {
    case 'DocumentIndexed':
      return [...event.data.written, ...event.data.removed];
    case 'DocumentDeleted':
      return event.data.chunks;
    case 'KnowledgeChunkReembedded':
    case 'KnowledgeChunkReembedFailed':
      return [event.data.chunkId];
    default:
      return [];
  }
};
