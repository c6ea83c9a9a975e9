import { unreachable } from '@palimpsest/knowledge';
import { fuseRrf, fuseWeighted, type FusedHit, type RankedLists } from '../ranking/fusion.ts';
import { applyThreshold } from '../ranking/threshold.ts';
import type { SearchRequest } from './search-request.ts';

/** The two lists as one, less what is not similar enough. */
export const fuseCandidates = (lists: RankedLists, { fusion, minScore }: SearchRequest): readonly FusedHit[] => {
  const fused = fuse(lists, fusion);
  return minScore === undefined ? fused : applyThreshold(fused, { minScore }).kept;
};

const fuse = (lists: RankedLists, fusion: SearchRequest['fusion']): readonly FusedHit[] => {
  switch (fusion) {
    case 'rrf':
      return fuseRrf(lists);
    case 'weighted':
      return fuseWeighted(lists);
    default:
      return unreachable(fusion);
  }
};
