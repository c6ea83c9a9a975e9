import type { Journal } from '@palimpsest/contracts';
import type { ChunkId, DocumentId, DomainEvent, Fact, Position, TenantId } from '@palimpsest/knowledge';

/** Removed chunks that are remembered, some 150 bytes each. What is beyond them is written, and purged like what is removed later. */
const MAX_CHUNKS = 1_000_000;

const REMOVING = ['DocumentIndexed', 'DocumentDeleted'] as const;

/**
 * What the facts of a stretch of the log remove, known before they are projected: a replay writes nothing that a later fact removes.
 * Searches and answers do not show the difference, since they wait until the stretch is projected.
 */
export class Tombstones {
  readonly #documents = new Map<string, Position>();
  readonly #chunks = new Map<ChunkId, Position>();

  /** Reads the log after a position, up to its end. */
  static async after(journal: Journal, from: Position, signal?: AbortSignal, maxChunks = MAX_CHUNKS): Promise<Tombstones> {
    const found = new Tombstones();
    const head = await journal.log.head();
    if (from >= head) return found;
    for await (const fact of journal.readAll({ from, types: REMOVING })) {
      if (signal?.aborted || fact.position > head) break;
      found.#learn(fact, maxChunks);
    }
    return found;
  }

  /** Whether a fact at that position is about a document that is deleted later. */
  hasDocument(tenant: TenantId, id: DocumentId, at: Position): boolean {
    return (this.#documents.get(keyOf(tenant, id)) ?? at) > at;
  }

  /** Whether what a fact at that position writes of a chunk is removed later. */
  hasChunk(tenant: TenantId, document: DocumentId, id: ChunkId, at: Position): boolean {
    return this.hasDocument(tenant, document, at) || (this.#chunks.get(id) ?? at) > at;
  }

  #learn({ event, metadata: { tenant }, position }: Fact<DomainEvent>, maxChunks: number): void {
    if (event.type === 'DocumentDeleted') this.#documents.set(keyOf(tenant, event.data.documentId), position);
    if (event.type !== 'DocumentIndexed') return;
    for (const id of event.data.removed) if (this.#chunks.size < maxChunks) this.#chunks.set(id, position);
  }
}

const keyOf = (tenant: TenantId, id: DocumentId): string => `${tenant}/${id}`;
