import type { Journal } from '@palimpsest/contracts';
import { DEFAULT_CHUNK_LIST, START } from '@palimpsest/knowledge/values';
import type { DocumentIndexed, DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ChunkId, ChunkListId, DocumentId, Position, TenantId } from '@palimpsest/knowledge/values';

/** Maximum number of removed chunks in memory, about 150 bytes each. Chunks beyond it are written, removed and purged as usual. */
const MAX_CHUNKS = 1_000_000;

const REMOVING = ['DocumentIndexed', 'DocumentDeleted'] as const;
const HISTORY = ['DocumentHistoryRemoved'] as const;

/** `tenant`: only what belongs to it. `maxChunks`: chunks that are remembered. */
type Options = Readonly<{ signal?: AbortSignal; tenant?: TenantId; maxChunks?: number }>;

/**
 * The documents and chunks that later facts remove, read from the log before it is projected: a replay does not write them. Searches
 * show no difference, because they wait until the replay is complete.
 */
export class Tombstones {
  readonly #documents = new Map<string, Position>();
  readonly #chunks = new Map<string, Position>();
  readonly #withoutHistory = new Set<string>();

  /** Reads the log after a position, up to its end. */
  static async after(journal: Journal, from: Position, options: Options = {}): Promise<Tombstones> {
    const head = await journal.log.head();
    return from >= head ? new Tombstones() : Tombstones.until(journal, head, from, options);
  }

  /** Reads the log between two positions: what was removed by then. */
  static async until(
    journal: Journal,
    upTo: Position,
    from: Position = START,
    { signal, tenant, maxChunks = MAX_CHUNKS }: Options = {},
  ): Promise<Tombstones> {
    const found = new Tombstones();
    for await (const recorded of journal.log.readAll({ from, upTo, types: REMOVING })) {
      if (signal?.aborted) break;
      if (tenant === undefined || recorded.metadata['tenant'] === tenant) found.#learn(await journal.decode(recorded), maxChunks);
    }
    // Also what was removed after the last position that is read: it is missing before it.
    for await (const { event, metadata } of journal.readAll({ from, types: HISTORY })) {
      if (signal?.aborted) break;
      if (event.type === 'DocumentHistoryRemoved' && (tenant ?? metadata.tenant) === metadata.tenant)
        found.#withoutHistory.add(keyOf(metadata.tenant, event.data.documentId));
    }
    return found;
  }

  /** What these facts remove. `withoutHistory`: documents of which the log may not have all facts any more. */
  static of(facts: readonly Fact<DomainEvent>[], tenant: TenantId, withoutHistory: readonly DocumentId[]): Tombstones {
    const found = new Tombstones();
    for (const fact of facts) found.#learn(fact, MAX_CHUNKS);
    for (const id of withoutHistory) found.#withoutHistory.add(keyOf(tenant, id));
    return found;
  }

  /** Whether the log may lack facts that wrote parts of the document: they were removed after the first position that is read. */
  lacksHistory(tenant: TenantId, id: DocumentId): boolean {
    return this.#withoutHistory.has(keyOf(tenant, id));
  }

  /** Whether the document is deleted after that position. */
  hasDocument(tenant: TenantId, id: DocumentId, at: Position): boolean {
    return (this.#documents.get(keyOf(tenant, id)) ?? at) > at;
  }

  /** Whether the chunk is removed from this list after that position. */
  hasChunk(
    tenant: TenantId,
    { documentId, chunkList }: Pick<DocumentIndexed['data'], 'documentId' | 'chunkList'>,
    id: ChunkId,
    at: Position,
  ): boolean {
    return this.hasDocument(tenant, documentId, at) || (this.#chunks.get(chunkKeyOf(chunkList, id)) ?? at) > at;
  }

  #learn({ event, metadata: { tenant }, position }: Fact<DomainEvent>, maxChunks: number): void {
    if (event.type === 'DocumentDeleted') this.#documents.set(keyOf(tenant, event.data.documentId), position);
    if (event.type !== 'DocumentIndexed') return;
    const { chunkList, removed } = event.data;
    for (const id of removed) if (this.#chunks.size < maxChunks) this.#chunks.set(chunkKeyOf(chunkList, id), position);
  }
}

/** Lists can share chunks. The default list needs no prefix, which saves memory. */
const chunkKeyOf = (list: ChunkListId, id: ChunkId): string => (list === DEFAULT_CHUNK_LIST ? id : `${list}/${id}`);

const keyOf = (tenant: TenantId, id: DocumentId): string => `${tenant}/${id}`;
