import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Evidence } from '../ranking/relevance.ts';
import type { FoundByVector, FoundByWords } from './search-state.ts';

type Found = Pick<FoundByVector, 'dense'> & Pick<FoundByWords, 'lexical'>;

/**
 * What each search knows about a candidate. A chunk that is not among the nearest vectors is at most as near as the last of them. Without
 * nearest vectors, or if words were not searched, there is only what the other search knows.
 */
export const evidenceOf = ({ dense, lexical }: Found, { words }: Readonly<{ words: boolean }>): ((chunkId: ChunkId) => Evidence) => {
  const standings = new Map(dense.hits.map(({ chunkId, standing }) => [chunkId, standing]));
  const shares = new Map(lexical.hits.map(({ chunkId, share }) => [chunkId, share]));
  const furthest = dense.hits.at(-1)?.standing;
  return (chunkId) => {
    const standing = standings.get(chunkId) ?? furthest;
    return { ...(standing === undefined ? {} : { standing }), ...(words ? { share: shares.get(chunkId) ?? 0 } : {}) };
  };
};
