import type { Catalog, ChunkId, PermittedScope, VisibleChunk } from '@palimpsest/knowledge';
import type { Scored } from '../ranking/fusion.ts';

export type Ranked<Hit extends Scored> = Readonly<{ hits: readonly Hit[]; visible: ReadonlyMap<ChunkId, VisibleChunk> }>;

const MAX_K = 1_000;

/**
 * The best `wanted` candidates that the catalogue shows. An index may hold chunks that are not visible yet, or not any more;
 * these are dropped, and where they took places that others deserve, more are asked for.
 */
export const visibleCandidates = async <Hit extends Scored>(
  wanted: number,
  scopes: readonly PermittedScope[],
  catalog: Catalog,
  ask: (k: number) => Promise<readonly Hit[]>,
): Promise<Ranked<Hit>> => {
  for (let k = wanted; ; k = Math.min(MAX_K, k * 4)) {
    const found = await ask(k);
    const visible = new Map((await catalog.chunks(scopes, found.map(({ chunkId }) => chunkId))).map((chunk) => [chunk.chunkId, chunk]));
    const hits = found.filter(({ chunkId }) => visible.has(chunkId));
    if (hits.length >= wanted || found.length < k || k >= MAX_K) return { hits: hits.slice(0, wanted), visible };
  }
};
