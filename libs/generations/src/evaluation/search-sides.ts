import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { CatalogReader, ReadModels, VectorSearch } from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId, GenerationId } from '@palimpsest/knowledge/values';

export type FoundDocument = Readonly<{ id: DocumentId; score: number }>;
/** One generation of a scope, and the vector of a query in its space. */
export type Side = Readonly<{ generation: GenerationId; list: ChunkListId; vector: Float32Array }>;
/** The best documents of both sides at one position of the log, in no particular order. `ms`: what the search of each side took. */
export type Found = Readonly<{
  before: readonly FoundDocument[];
  after: readonly FoundDocument[];
  position: bigint;
  ms: readonly [number, number];
}>;

export type SearchSidesPorts = Readonly<{
  catalog: Pick<CatalogReader, 'chunks'>;
  vectors: VectorSearch;
  readModels: Pick<ReadModels, 'position' | 'serving'>;
  /** Milliseconds from any origin. */
  elapsed: () => number;
}>;

/** Documents to find on each side. The measures and the comparison of rankings look at the first ten. */
const DEPTH = 10;
const CHUNKS = 50;
const ATTEMPTS = 10;

/**
 * Searches two generations of one scope by vectors, at one position of the log: the words of a query would find the same on both sides,
 * and hide a difference. It writes no record, counts for no quota and fills no cache.
 */
export class SearchSides {
  readonly #ports: SearchSidesPorts;
  #swapped = false;

  constructor(ports: SearchSidesPorts) {
    this.#ports = ports;
  }

  /** Undefined if the read models moved on, or did not serve, during each attempt. */
  async both(scope: PermittedScope, before: Side, after: Side): Promise<Found | undefined> {
    const { readModels } = this.#ports;
    // Each side is first as often as the other, so that neither gains from warm memory.
    this.#swapped = !this.#swapped;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const position = readModels.position();
      const first = await this.#one(scope, this.#swapped ? after : before);
      const second = await this.#one(scope, this.#swapped ? before : after);
      if (readModels.position() !== position || !readModels.serving()) continue;
      const [b, a] = this.#swapped ? [second, first] : [first, second];
      return { before: b.documents, after: a.documents, position, ms: [b.ms, a.ms] };
    }
    return undefined;
  }

  async #one(
    scope: PermittedScope,
    { generation, list, vector }: Side,
  ): Promise<Readonly<{ documents: readonly FoundDocument[]; ms: number }>> {
    const { catalog, vectors, elapsed } = this.#ports;
    let ms = 0;
    // A document with many chunks, or chunks that the catalog does not show, may fill the first hits.
    for (let k = CHUNKS; ; k = Math.min(MAX_INDEX_RESULTS, k * 4)) {
      const started = elapsed();
      const hits = await vectors.search({ scope, generation }, vector, { k });
      ms += elapsed() - started;
      const documentOf = await this.#documents(
        catalog,
        scope,
        hits.map(({ chunkId }) => chunkId),
        list,
      );
      const documents = new Map<DocumentId, number>();
      for (const { chunkId, score } of hits) {
        const id = documentOf.get(chunkId);
        if (id !== undefined && !documents.has(id)) documents.set(id, score);
      }
      if (documents.size >= DEPTH || hits.length < k || k >= MAX_INDEX_RESULTS)
        return { documents: [...documents].slice(0, DEPTH).map(([id, score]) => ({ id, score })), ms };
    }
  }

  async #documents(
    catalog: Pick<CatalogReader, 'chunks'>,
    scope: PermittedScope,
    ids: readonly ChunkId[],
    list: ChunkListId,
  ): Promise<ReadonlyMap<ChunkId, DocumentId>> {
    return new Map((await catalog.chunks([scope], ids, list)).map(({ chunkId, documentId }) => [chunkId, documentId]));
  }
}
