import type { Catalog, ChunkId, PermittedScope, VisibleChunk } from '@palimpsest/knowledge';
import type { Scored } from '../ranking/ranked-list.ts';

const MAX_K = 1_000;

type ShownBy = Pick<Catalog, 'visible' | 'chunks'>;

/** Which of the chunks that one search meets the catalogue shows. Both its halves may meet the same one: it is looked up once. */
export class ShownChunks {
  readonly #catalog: ShownBy;
  readonly #scopes: readonly PermittedScope[];
  readonly #known = new Map<ChunkId, boolean>();

  constructor(catalog: ShownBy, scopes: readonly PermittedScope[]) {
    this.#catalog = catalog;
    this.#scopes = scopes;
  }

  async lookUp(ids: readonly ChunkId[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    if (unknown.length === 0) return;
    const visible = await this.#catalog.visible(this.#scopes, unknown);
    for (const id of unknown) this.#known.set(id, visible.has(id));
  }

  /** False as well for what was never looked up. */
  has(id: ChunkId): boolean {
    return this.#known.get(id) === true;
  }

  /** All that the catalogue says of these, in their order, as of now: one that went meanwhile is left out. */
  async of<Hit extends Scored>(hits: readonly Hit[]): Promise<readonly (readonly [Hit, VisibleChunk])[]> {
    const chunks = new Map((await this.#catalog.chunks(this.#scopes, hits.map(({ chunkId }) => chunkId))).map((chunk) => [chunk.chunkId, chunk]));
    return hits.flatMap((hit) => {
      const chunk = chunks.get(hit.chunkId);
      return chunk ? [[hit, chunk] as const] : [];
    });
  }
}

/**
 * The best `wanted` candidates that the catalogue shows. An index may hold chunks that are not visible yet, or not any more;
 * these are dropped, and where they took places that others deserve, more are asked for.
 */
export const visibleCandidates = async <Hit extends Scored>(
  wanted: number,
  shown: ShownChunks,
  ask: (k: number) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> => {
  for (let k = wanted; ; k = Math.min(MAX_K, k * 4)) {
    const found = await ask(k);
    await shown.lookUp(found.map(({ chunkId }) => chunkId));
    const hits = found.filter(({ chunkId }) => shown.has(chunkId));
    if (hits.length >= wanted || found.length < k || k >= MAX_K) return hits.slice(0, wanted);
  }
};
