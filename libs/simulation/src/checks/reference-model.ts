import { fromBase64, openText, type Journal } from '@palimpsest/contracts';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';

export type ReferenceDocument = {
  readonly tenant: TenantId;
  readonly scope: VectorScope;
  readonly id: string;
  readonly source: string;
  version: number;
  status: 'pending' | 'processing' | 'indexed' | 'failed' | 'deleted';
  indexedVersion: number | undefined;
  /** Ids of the chunks, in text order. */
  chunks: readonly string[];
  readonly texts: Map<string, string>;
  /** The versions of the vectors of each chunk. */
  readonly vectors: Map<string, Set<string>>;
};

export type ReferenceGeneration = {
  readonly id: string;
  readonly version: string;
  status: 'building' | 'ready' | 'active' | 'standby' | 'companion' | 'retired';
};

type Scoped = Readonly<{ tenant: TenantId; scope: VectorScope }>;

/**
 * What the read models should contain: a plain fold over the whole log, without batches, checkpoints or incremental writes, which shares no
 * code with the projections. It also notes what must not be on a log.
 */
export class ReferenceModel {
  readonly documents = new Map<string, ReferenceDocument>();
  readonly generations = new Map<string, ReferenceGeneration[]>();
  readonly malformed: string[] = [];
  readonly #revisions = new Map<string, number>();
  readonly #keys: ScopeKeys;

  private constructor(keys: ScopeKeys) {
    this.#keys = keys;
  }

  static async of(journal: Journal, keys: ScopeKeys): Promise<ReferenceModel> {
    const model = new ReferenceModel(keys);
    for await (const fact of journal.readAll()) await model.#add(fact);
    return model;
  }

  generationsOf({ tenant, scope }: Scoped): readonly ReferenceGeneration[] {
    return this.generations.get(`${tenant}/${scope}`) ?? [];
  }

  documentsOf({ tenant, scope }: Scoped): readonly ReferenceDocument[] {
    return [...this.documents.values()].filter((one) => one.tenant === tenant && one.scope === scope && one.status !== 'deleted');
  }

  async #add(fact: Fact<DomainEvent>): Promise<void> {
    const { event, stream, revision, metadata } = fact;
    if (revision !== (this.#revisions.get(stream) ?? -1) + 1) this.malformed.push(`${stream} continues with revision ${revision}`);
    this.#revisions.set(stream, revision);
    if (metadata.scope === undefined) return;
    if ('generation' in event.data) return this.#generation(fact, `${metadata.tenant}/${metadata.scope}`);
    if (event.type === 'DocumentSubmitted') return this.#submitted(fact);
    const document = 'documentId' in event.data ? this.documents.get(`${metadata.tenant}/${event.data.documentId}`) : undefined;
    if (document) await this.#of(document, fact);
  }

  #submitted({ event, metadata: { tenant, scope } }: Fact<DomainEvent>): void {
    if (event.type !== 'DocumentSubmitted' || scope === undefined) return;
    const { documentId: id, version, sourceId: source } = event.data;
    const key = `${tenant}/${id}`;
    const known = this.documents.get(key);
    if (known && version <= known.version) this.malformed.push(`version ${version} of ${tenant}/${source} was submitted twice`);
    const fresh = { indexedVersion: undefined, chunks: [], texts: new Map<string, string>(), vectors: new Map<string, Set<string>>() };
    const before = known === undefined || known.status === 'deleted' ? fresh : known;
    this.documents.set(key, { ...before, tenant, scope, id, source, version, status: 'pending' });
  }

  async #of(document: ReferenceDocument, { event, metadata: { tenant, scope } }: Fact<DomainEvent>): Promise<void> {
    if (event.type === 'DocumentProcessingStarted') document.status = 'processing';
    if (event.type === 'DocumentFailed') document.status = 'failed';
    if (event.type === 'DocumentDeleted') {
      if (document.status === 'deleted') this.malformed.push(`${document.source} was deleted twice`);
      Object.assign(document, { status: 'deleted', chunks: [], indexedVersion: undefined });
      document.texts.clear();
      document.vectors.clear();
    }
    if (event.type === 'DocumentIndexed') {
      const { version, chunks } = event.data;
      if (version !== document.version || document.indexedVersion === version)
        this.malformed.push(`version ${version} of ${document.source} was indexed when ${document.version} was the latest`);
      Object.assign(document, { status: 'indexed', indexedVersion: version, chunks: chunks.map(({ chunkId }) => chunkId) });
    }
    if (event.type === 'KnowledgeChunkIndexed' || event.type === 'KnowledgeChunkReembedded') {
      const { chunkId, embeddingVersion } = event.data;
      document.vectors.set(chunkId, (document.vectors.get(chunkId) ?? new Set<string>()).add(embeddingVersion));
      if (event.type !== 'KnowledgeChunkIndexed' || scope === undefined) return;
      const cipher = await this.#keys.cipher({ tenant, scope });
      document.texts.set(chunkId, openText(cipher, chunkId, fromBase64(event.data.sealedText)).text);
    }
  }

  #generation({ event }: Fact<DomainEvent>, key: string): void {
    const all = this.generations.get(key) ?? [];
    this.generations.set(key, all);
    if (event.type === 'GenerationStarted')
      all.push({ id: event.data.generation, version: event.data.recipe.embedding.version, status: 'building' });
    for (const one of all) {
      if (event.type === 'GenerationBuilt' && one.id === event.data.generation) one.status = event.data.companion ? 'companion' : 'ready';
      if (event.type === 'GenerationActivated' && one.status === 'active' && one.id !== event.data.generation) one.status = 'standby';
      if (event.type === 'GenerationActivated' && one.id === event.data.generation) one.status = 'active';
      if (event.type === 'GenerationRetired' && one.id === event.data.generation) one.status = 'retired';
    }
  }
}
