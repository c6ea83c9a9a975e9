import { unreachable } from '@palimpsest/knowledge';
import { fuseRrf, fuseSimple, fuseWeighted, type FusedHit, type RankedLists } from '../ranking/fusion.ts';
import { applyThreshold } from '../ranking/threshold.ts';
import type { SearchRequest } from './search-request.ts';

type Wish = Pick<SearchRequest, 'strategy' | 'fusion' | 'minScore'>;

/** The two lists as one, less what is not similar enough. A search by one of them alone keeps its own order and scores. */
export const fuseCandidates = (lists: RankedLists, { strategy, fusion, minScore }: Wish): readonly FusedHit[] => {
  const fused = strategy === 'DenseSparseHybrid' ? fuse(lists, fusion) : alone(lists, strategy);
  return minScore === undefined ? fused : applyThreshold(fused, { minScore }).kept;
};

const fuse = (lists: RankedLists, fusion: SearchRequest['fusion']): readonly FusedHit[] => {
  switch (fusion) {
    case 'rrf':
      return fuseRrf(lists);
    case 'weighted':
      return fuseWeighted(lists);
    case 'simple':
      return fuseSimple(lists);
    default:
      return unreachable(fusion);
  }
};

const alone = ({ dense, lexical }: RankedLists, strategy: 'DenseOnly' | 'SparseOnly'): readonly FusedHit[] =>
  strategy === 'DenseOnly'
    ? dense.map(({ chunkId, score }, i) => ({ chunkId, score, explained: () => ({ label: 'cosine similarity', value: score }), dense: { rank: i + 1, score } }))
    : lexical.map(({ chunkId, score }, i) => ({ chunkId, score, explained: () => ({ label: 'BM25', value: score }), lexical: { rank: i + 1, score } }));
