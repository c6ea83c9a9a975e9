import { unreachable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { fuseRrf, fuseSimple, fuseStandardScores, fuseWeighted, type FusedHit } from '../ranking/fusion.ts';
import type { RankedList, RankedLists } from '../ranking/ranked-list.ts';
import { relevanceOf, type Evidence } from '../ranking/relevance.ts';
import { applyThreshold } from '../ranking/threshold.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { denseWeightOf, denseWeights } from './dense-weight.ts';
import { evidenceOf } from './evidence.ts';
import type { KnownOfQuery } from './embed-query.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Embedded, FoundByVector, FoundByWords, Fused, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Pick<SearchStart, 'request' | 'access'> & Pick<Targeted, 'wanted'> & Embedded & FoundByVector & FoundByWords;

/** Combines the two lists of candidates into one ranking, and drops what is not similar or relevant enough. */
export const fuse = (providers: Pick<EmbeddingProviders, 'of'>, { denseWeights: known }: KnownOfQuery = {}): Stage<Needs, Fused> => ({
  name: 'fuse',
  run: ({ request, access, wanted: { searchable }, queryVectors, dense, lexical, languages, known: knownWords }) => {
    const modelOf = (version: EmbeddingVersion) => (queryVectors.has(version) ? providers.of(version, access.tenant) : undefined);
    const computed = denseWeights(searchable, { languages, known: knownWords }, modelOf);
    const weights = searchable.map(({ scope: { scope } }, i) => known?.get(scope) ?? computed[i] ?? 0);
    const denseWeight = denseWeightOf(weights, [...dense.hits, ...lexical.hits]);
    const comparable = {
      dense: new Set(searchable.map(({ embeddingVersion }) => embeddingVersion)).size <= 1,
      lexical: searchable.length <= 1,
    };
    const evidence = evidenceOf({ dense, lexical }, { words: request.strategy !== 'DenseOnly' });
    const fused = fuseCandidates({ dense, lexical }, request, { denseWeight, comparable }).map((hit) => withRelevance(hit, evidence));
    const { minRelevance = 0 } = request;
    return {
      ranking: rankedIn(
        'fuse',
        fused.filter(({ relevance }) => relevance >= minRelevance),
      ),
      denseWeights: weights,
    };
  },
  count: ({ ranking }) => ranking.length,
});

const withRelevance = (hit: FusedHit, evidenceOfChunk: (chunkId: ChunkId) => Evidence) => {
  const evidence = evidenceOfChunk(hit.chunkId);
  return { ...hit, evidence, relevance: relevanceOf(evidence) };
};

type FusionRequest = Pick<SearchRequest, 'strategy' | 'fusion' | 'minScore'>;

/** `denseWeight`: of a chunk, by the query and the language of its scope. `comparable`: whether the scores of a list come from one model or one index. */
export type Calibration = Readonly<{
  denseWeight?: (chunkId: ChunkId) => number;
  comparable?: Readonly<{ dense: boolean; lexical: boolean }>;
}>;

/** Fuses the two lists and drops what is not similar enough. A search by only one of them keeps its order. */
export const fuseCandidates = (
  lists: RankedLists,
  { strategy, fusion, minScore }: FusionRequest,
  calibration: Calibration = {},
): readonly FusedHit[] => {
  const { denseWeight, comparable = { dense: true, lexical: true } } = calibration;
  const fused =
    strategy === 'DenseOnly' || strategy === 'SparseOnly' ? alone(lists, strategy, comparable) : fuseBoth(lists, fusion, denseWeight);
  return minScore === undefined ? fused : applyThreshold(fused, { minScore }).kept;
};

const fuseBoth = (lists: RankedLists, fusion: SearchRequest['fusion'], denseWeight?: (chunkId: ChunkId) => number): readonly FusedHit[] => {
  switch (fusion) {
    case 'zscore':
      return fuseStandardScores(lists, denseWeight);
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

const alone = (
  { dense, lexical }: RankedLists,
  strategy: 'DenseOnly' | 'SparseOnly',
  comparable: Readonly<{ dense: boolean; lexical: boolean }>,
): readonly FusedHit[] =>
  strategy === 'DenseOnly'
    ? ordered(dense, 'dense', comparable.dense ? 'cosine similarity' : undefined)
    : ordered(lexical, 'lexical', comparable.lexical ? 'BM25' : undefined);

/** Hits with the search's own score, named `label`, or with the standard score when the scores are not comparable. */
const ordered = ({ hits }: RankedList, source: 'dense' | 'lexical', label: string | undefined): readonly FusedHit[] =>
  hits.map(({ chunkId, score, standard }, i): FusedHit => {
    const value = label === undefined ? standard : score;
    return {
      chunkId,
      score: value,
      explained: () => ({ label: label ?? 'standard score', value }),
      stages: { [source]: { rank: i + 1, score } },
    };
  });
