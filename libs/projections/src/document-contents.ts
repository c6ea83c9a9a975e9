import { documentStream } from '@palimpsest/knowledge';
import type { ChunkId, DocumentId, DocumentIndexed, DomainEvent, EmbeddingVersion, Fact, KnowledgeChunkIndexed, Position, TenantId } from '@palimpsest/knowledge';
import type { Journal, SealedVectors } from '@palimpsest/contracts';

/** A chunk as the log holds it: its text with all stamps, its sealed vectors for each version it was embedded with, and the models that refused it. */
export type RecordedContent = Readonly<{ chunk: KnowledgeChunkIndexed['data']; vectors: ReadonlyMap<EmbeddingVersion, SealedVectors>; refusedBy: ReadonlySet<EmbeddingVersion> }>;

/** Whether a generation of this version has the chunk: with its vector, or by its words alone when the model refused it. */
export const isIn = ({ vectors, refusedBy }: RecordedContent, version: EmbeddingVersion): boolean => vectors.has(version) || refusedBy.has(version);

/** What a document's stream says up to some revision. */
export type DocumentContents = Readonly<{ chunks: ReadonlyMap<ChunkId, RecordedContent>; indexed?: DocumentIndexed['data'] }>;

/** `weight`: how much of it is to be kept in memory, counted in chunks with one vector. */
type Building = { chunks: Map<ChunkId, RecordedContent>; weight: number; indexed?: DocumentIndexed['data'] };

const weightOf = ({ sealedVector, sealedFurtherVectors = '' }: SealedVectors): number => 1 + Math.floor(sealedFurtherVectors.length / Math.max(1, sealedVector.length));

const addFact = (contents: Building, { event }: Fact<DomainEvent>): void => {
  if (event.type === 'KnowledgeChunkIndexed') {
    const { chunkId, embeddingVersion } = event.data;
    const known = contents.chunks.get(chunkId);
    const vectors = new Map<EmbeddingVersion, SealedVectors>([...(known?.vectors ?? []), [embeddingVersion, event.data]]);
    contents.chunks.set(chunkId, { chunk: event.data, vectors, refusedBy: known?.refusedBy ?? new Set() });
    contents.weight += weightOf(event.data);
  } else if (event.type === 'KnowledgeChunkReembedded') {
    const { chunkId, embeddingVersion } = event.data;
    const known = contents.chunks.get(chunkId);
    if (!known) return;
    contents.chunks.set(chunkId, { ...known, vectors: new Map([...known.vectors, [embeddingVersion, event.data]]) });
    contents.weight += weightOf(event.data);
  } else if (event.type === 'KnowledgeChunkReembedFailed') {
    const known = contents.chunks.get(event.data.chunkId);
    if (known) contents.chunks.set(event.data.chunkId, { ...known, refusedBy: new Set([...known.refusedBy, event.data.embeddingVersion]) });
  } else if (event.type === 'DocumentIndexed') contents.indexed = event.data;
  else if (event.type === 'DocumentDeleted') delete contents.indexed;
};

/** Reads a document's stream as it was at a position. */
export const readContents = async (journal: Journal, tenant: TenantId, id: DocumentId, upTo: Position): Promise<DocumentContents> => {
  const contents: Building = { chunks: new Map(), weight: 0 };
  for await (const fact of journal.readStream(documentStream(tenant, id))) {
    if (fact.position > upTo) break;
    addFact(contents, fact);
  }
  return contents;
};

/**
 * Chunks that were met on the way to their `DocumentIndexed`, so that its content need not be read again from the log.
 * Only a saving: what is not here is read from the document's stream. Bounded; the oldest documents go first.
 */
export class ContentBuffer {
  readonly #documents = new Map<string, Building>();
  readonly #maxChunks: number;
  #weight = 0;

  constructor(maxChunks = 20_000) {
    this.#maxChunks = maxChunks;
  }

  add(fact: Fact<DomainEvent>, id: DocumentId): void {
    const key = `${fact.metadata.tenant}/${id}`;
    const contents = this.#documents.get(key) ?? { chunks: new Map(), weight: 0 };
    this.#weight -= contents.weight;
    addFact(contents, fact);
    this.#weight += contents.weight;
    this.#documents.delete(key);
    this.#documents.set(key, contents);
    for (const [oldest, { weight }] of this.#documents) {
      if (this.#weight <= this.#maxChunks || oldest === key) break;
      this.#documents.delete(oldest);
      this.#weight -= weight;
    }
  }

  /** Takes out what is held of a document, if it covers all of `ids`. */
  take(tenant: TenantId, id: DocumentId, ids: readonly ChunkId[]): DocumentContents | undefined {
    const key = `${tenant}/${id}`;
    const contents = this.#documents.get(key);
    if (!contents) return undefined;
    this.#documents.delete(key);
    this.#weight -= contents.weight;
    return ids.every((chunk) => contents.chunks.has(chunk)) ? contents : undefined;
  }
}
