import type { PermittedScope } from '@palimpsest/knowledge/access';
import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import type { CatalogReader, VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId } from '@palimpsest/knowledge/values';
import type { Scored } from '../ranking/ranked-list.ts';

type ShownBy = Pick<CatalogReader, 'visible' | 'chunks'>;

/** Knows which chunks of one search the catalog shows. Dense and lexical search may find the same chunk: it is looked up once. */
export class VisibilityFilter {
  readonly #catalog: ShownBy;
  readonly #lists: readonly (readonly [ChunkListId | undefined, readonly PermittedScope[]])[];
  readonly #known = new Map<ChunkId, boolean>();

  /** `listOf`: the chunk list of the generation that this search uses; an exchange of generations meanwhile does not change it. */
  constructor(
    catalog: ShownBy,
    scopes: readonly PermittedScope[],
    listOf: (scope: PermittedScope) => ChunkListId | undefined = () => undefined,
  ) {
    this.#catalog = catalog;
    this.#lists = [...Map.groupBy(scopes, listOf)];
  }

  async lookUp(ids: readonly ChunkId[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    if (unknown.length === 0) return;
    const visible = await Promise.all(this.#lists.map(([list, scopes]) => this.#catalog.visible(scopes, unknown, list)));
    for (const id of unknown)
      this.#known.set(
        id,
        visible.some((ids) => ids.has(id)),
      );
  }

  /** Also false for a chunk that was never looked up. */
  has(id: ChunkId): boolean {
    return this.#known.get(id) === true;
  }

  /** The current catalog data of these hits, in their order; a chunk that was removed meanwhile is left out. */
  async of<Hit extends Scored>(hits: readonly Hit[]): Promise<readonly (readonly [Hit, VisibleChunk])[]> {
    const ids = hits.map(({ chunkId }) => chunkId);
    const found = await Promise.all(this.#lists.map(([list, scopes]) => this.#catalog.chunks(scopes, ids, list)));
    const chunks = new Map(found.flat().map((chunk) => [chunk.chunkId, chunk]));
    return hits.flatMap((hit) => {
      const chunk = chunks.get(hit.chunkId);
      return chunk ? [[hit, chunk] as const] : [];
    });
  }
}

/**
 * The best `wanted` candidates that the catalog shows. An index may hold chunks that are not visible yet, or no longer;
 * these are dropped, and if too few remain, more are requested.
 */
export const visibleCandidates = async <Hit extends Scored>(
  wanted: number,
  shown: VisibilityFilter,
  ask: (k: number) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> => {
  for (let k = wanted; ; k = Math.min(MAX_INDEX_RESULTS, k * 4)) {
    const found = await ask(k);
    await shown.lookUp(found.map(({ chunkId }) => chunkId));
    const hits = found.filter(({ chunkId }) => shown.has(chunkId));
    if (hits.length >= wanted || found.length < k || k >= MAX_INDEX_RESULTS) return hits.slice(0, wanted);
  }
};
