import type { Access, Filter } from '@palimpsest/knowledge/access';
import type { Reranking } from './reranking.ts';
import type { CatalogReader, LexicalHit, ReadView, ScoreSpread, VectorHit } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { Candidate, RankedList } from '../ranking/ranked-list.ts';
import type { AddedSynonyms } from '../ranking/wordings.ts';
import type { CanaryRouting } from '../canary/canary-routing.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { Rewriting } from './rewriting.ts';
import type { OpenedHit } from './opened-hit.ts';
import type { RankedHit } from './ranked-hit.ts';
import type { SearchHit } from './search-hit.ts';
import type { SearchTarget, SearchTargets } from './search-targets.ts';
import type { VisibilityFilter } from './visibility-filter.ts';

/**
 * What a search starts with. `canaries`: default, every caller is served by the active generations. `now`: for a search in the past, the
 * live catalog. `recorded`: the filter was accepted once, and is not refused though other fields are declared now.
 */
export type SearchStart = Readonly<{
  request: SearchRequest;
  access: Access;
  view: ReadView;
  now?: CatalogReader;
  canaries?: CanaryRouting;
  recorded?: boolean;
  /** What a search among fewer candidates got, if this is another round of it. */
  rewriting?: Rewriting;
  /** Number of candidates to find, if the usual number left too few hits. */
  pool?: number;
}>;

/** What the two retrievals look for. */
export type Wanted = Readonly<{
  searchable: readonly SearchTarget[];
  filter: Filter | undefined;
  /** Language of the query (ISO 639-1), if the caller gave it. */
  language?: string;
  /** Number of candidates to find. */
  pool: number;
  shown: VisibilityFilter;
}>;

/** A candidate with the index of its scope among the searched scopes. */
export type Located<Hit> = Hit & Candidate & Readonly<{ scopeAt: number }>;

/** What the stages add, by the name in the state. */
export type Targeted = Readonly<{ targets: SearchTargets; wanted: Wanted }>;
/** `wanted`: limited by the terms of the request. `ignoredTerms`: those that were no condition. `left`: number of chunks that they leave. */
export type Selected = Pick<Targeted, 'wanted'> & Readonly<{ ignoredTerms: readonly string[]; left: number }>;
/** A word of the query, and what was searched in its place. `chunks`: the number of chunks of the searched scopes that have it. */
export type Correction = Readonly<{ from: string; to: string; chunks: number }>;
/** `corrected`: the query with the corrections, if there are any. */
export type Spelled = Readonly<{ corrections: readonly Correction[]; corrected?: string }>;
/** What was added to a query. `limited`: not all wordings were searched, since there were too many. */
export type SearchedSynonyms = Readonly<{ added: readonly AddedSynonyms[]; limited?: true }>;
/** `wordings`: the query and others, for each searched scope; none: the query alone. `synonyms`: only if there are any. */
export type Worded = Readonly<{ wordings: readonly (readonly string[])[]; synonyms?: SearchedSynonyms }>;
/** `rewriting`: only if the search asked for it. */
export type Rewritten = Readonly<{ rewriting?: Rewriting }>;
/** `backgrounds`: the cosines of unrelated passages to the query, with each of these models. */
export type Embedded = Readonly<{
  queryVectors: ReadonlyMap<EmbeddingVersion, Float32Array>;
  backgrounds: ReadonlyMap<EmbeddingVersion, ScoreSpread>;
}>;
/** `standing`: the standard score of the cosine among those of the searched scopes and of unrelated passages. */
export type FoundByVector = Readonly<{ dense: RankedList<Located<VectorHit> & Readonly<{ standing: number }>> }>;
/**
 * `share`: part of the score, 0 to 1, that the whole query could reach in the scope. `languages`: in which the query was analysed, one per searched scope, if it was determined. `known`: share of the query, 0 to 1, whose
 * words occur in the scope that knows most of them; 1 if it was not determined.
 */
export type FoundByWords = Readonly<{
  lexical: RankedList<Located<LexicalHit> & Readonly<{ share: number }>>;
  languages: readonly string[];
  known: number;
}>;
/** `denseWeights`: of each target. */
export type Fused = Readonly<{ ranking: readonly RankedHit[]; denseWeights: readonly number[] }>;
/** `opened`: the hits of `ranking` that the search may return, with their texts; best first. */
export type Opened = Readonly<{ opened: readonly OpenedHit[] }>;
/** `reranked`: only if the search asked for a reranker. `queryVectors`: only if the reranker made more of them. */
export type Reranked = Opened & Partial<Pick<Embedded, 'queryVectors'>> & Readonly<{ reranked?: Reranking }>;
export type Highlighted = Readonly<{ hits: readonly SearchHit[] }>;

/** What a list of search stages must have added at its end: the results, and what their record says about them. */
export type SearchOutcome = Pick<Targeted, 'targets' | 'wanted'> &
  Partial<Pick<Selected, 'ignoredTerms'>> &
  Pick<Worded, 'synonyms'> &
  Partial<Spelled> &
  Rewritten &
  Embedded &
  FoundByVector &
  FoundByWords &
  Fused &
  Reranked &
  Highlighted;
