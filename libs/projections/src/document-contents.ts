import { documentStream } from '@palimpsest/knowledge/deciders';
import type { DocumentIndexed, DomainEvent, Fact, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import type { SubjectKey } from '@palimpsest/knowledge/subjects';
import type { ChunkId, ChunkListId, DocumentId, EmbeddingVersion, Position, TenantId } from '@palimpsest/knowledge/values';
import type { Journal, SealedVectors } from '@palimpsest/contracts';

/** A chunk on the log: its event, its sealed vectors for each embedding version, and the versions whose model refused it. */
export type RecordedContent = Readonly<{
  chunk: KnowledgeChunkIndexed['data'];
  vectors: ReadonlyMap<EmbeddingVersion, SealedVectors>;
  refusedBy: ReadonlySet<EmbeddingVersion>;
}>;

/** Whether a generation of this version has the chunk: with its vector, or only its words if the model refused it. */
export const isIn = ({ vectors, refusedBy }: RecordedContent, version: EmbeddingVersion): boolean =>
  vectors.has(version) || refusedBy.has(version);

/**
 * The contents of a document, read from its stream up to some revision. `indexed`: the last commit of each chunk list. `subject`: the data
 * subject whom it is about, if there is one.
 */
export type DocumentContents = Readonly<{
  chunks: ReadonlyMap<ChunkId, RecordedContent>;
  indexed: ReadonlyMap<ChunkListId, DocumentIndexed['data']>;
  subject?: SubjectKey;
}>;

/** `weight`: memory use, counted in chunks with one vector. */
type Building = {
  chunks: Map<ChunkId, RecordedContent>;
  /** Of chunks whose text was not met: it is earlier on the log, or was repeated later when old history was removed. */
  early: Map<ChunkId, Omit<RecordedContent, 'chunk'>>;
  weight: number;
  indexed: Map<ChunkListId, DocumentIndexed['data']>;
  subject?: SubjectKey;
};

const weightOf = ({ sealedVector, sealedFurtherVectors = '' }: SealedVectors): number =>
  1 + Math.floor(sealedFurtherVectors.length / Math.max(1, sealedVector.length));

const isKept = ({ event }: Fact<DomainEvent>): boolean => 'keptFrom' in event.data;

type Vectors = Omit<RecordedContent, 'chunk'>;

const NO_VECTORS: Vectors = { vectors: new Map(), refusedBy: new Set() };

const addFact = (contents: Building, { event, metadata: { subject } }: Fact<DomainEvent>): void => {
  if (subject !== undefined) contents.subject = subject;
  if (event.type === 'KnowledgeChunkIndexed') {
    const { chunkId, embeddingVersion } = event.data;
    const { vectors, refusedBy } = vectorsOf(contents, chunkId);
    contents.chunks.set(chunkId, { chunk: event.data, vectors: new Map([...vectors, [embeddingVersion, event.data]]), refusedBy });
    contents.early.delete(chunkId);
    contents.weight += weightOf(event.data);
  } else if (event.type === 'KnowledgeChunkReembedded') {
    const { chunkId, embeddingVersion } = event.data;
    const known = vectorsOf(contents, chunkId);
    setVectors(contents, chunkId, { ...known, vectors: new Map([...known.vectors, [embeddingVersion, event.data]]) });
    contents.weight += weightOf(event.data);
  } else if (event.type === 'KnowledgeChunkReembedFailed') {
    const { chunkId, embeddingVersion } = event.data;
    const known = vectorsOf(contents, chunkId);
    setVectors(contents, chunkId, { ...known, refusedBy: new Set([...known.refusedBy, embeddingVersion]) });
  } else if (event.type === 'DocumentIndexed') contents.indexed.set(event.data.chunkList, event.data);
  else if (event.type === 'DocumentDeleted') contents.indexed.clear();
};

const vectorsOf = ({ chunks, early }: Building, id: ChunkId): Vectors => chunks.get(id) ?? early.get(id) ?? NO_VECTORS;

const setVectors = ({ chunks, early }: Building, id: ChunkId, { vectors, refusedBy }: Vectors): void => {
  const known = chunks.get(id);
  if (known) chunks.set(id, { chunk: known.chunk, vectors, refusedBy });
  else early.set(id, { vectors, refusedBy });
};

/** Reads a document's stream as of a position. What was kept of a removed history was there before, too, although its place is later. */
export const readContents = async (journal: Journal, tenant: TenantId, id: DocumentId, upTo: Position): Promise<DocumentContents> => {
  const contents: Building = { chunks: new Map(), early: new Map(), weight: 0, indexed: new Map() };
  let [isWhole, next] = [true, 0];
  for await (const fact of journal.readStream(documentStream(tenant, id))) {
    // History can be removed while it is read.
    isWhole &&= fact.revision === next;
    next = fact.revision + 1;
    if (fact.position <= upTo || isKept(fact)) addFact(contents, fact);
    else if (isWhole) break;
  }
  return contents;
};

/**
 * Keeps chunks until their `DocumentIndexed`, so that their contents need not be read from the log again. Only an optimisation: what
 * is missing here is read from the document's stream. Bounded; the oldest documents are evicted first.
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
    const contents: Building = this.#documents.get(key) ?? { chunks: new Map(), early: new Map(), weight: 0, indexed: new Map() };
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

  /** Removes and returns the contents of a document, if they cover all of `ids`. */
  take(tenant: TenantId, id: DocumentId, ids: readonly ChunkId[]): DocumentContents | undefined {
    const key = `${tenant}/${id}`;
    const contents = this.#documents.get(key);
    if (!contents) return undefined;
    this.#documents.delete(key);
    this.#weight -= contents.weight;
    return ids.every((chunk) => contents.chunks.has(chunk)) ? contents : undefined;
  }
}
