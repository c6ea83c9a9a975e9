import type { System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Rewriting } from './rewriting.ts';
import type { Reranking } from './reranking.ts';
import type { ReadView, ScoreSpread } from '@palimpsest/knowledge/read-models';
import { isHybrid, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';
import { withCanaries, type ChosenCanary } from '../canary/with-canaries.ts';
import { signsOf, type RetrievalSigns } from './retrieval-signs.ts';
import type { SearchHit } from './search-hit.ts';
import type { Correction, SearchedSynonyms, SearchStart } from './search-state.ts';
import type { SearchStages } from './search-stages.ts';
import type { SearchTarget, SearchTargets } from './search-targets.ts';
import { StageRun, type SkipReason, type Timings } from './stage-run.ts';

/** The results of a search, and what its record says about how they were found. The candidates are not kept. */
export type Searched = Readonly<{
  hits: readonly SearchHit[];
  /** The read models reflected at least this position when the search began. */
  position: Position;
  timings: Timings;
  /** The stages that it did without, by name. */
  skipped: Readonly<Record<string, SkipReason>>;
  targets: SearchTargets;
  /** Targets of a hybrid search that were searched by words only, because their model is missing here. */
  lexicalOnly: readonly SearchTarget[];
  /** Required and excluded terms that were no condition, if there are any. */
  ignoredTerms?: readonly string[];
  /** Words of the query that were searched as other words, if there are any. */
  corrections?: readonly Correction[];
  /** What was added to the query, if anything. */
  synonyms?: SearchedSynonyms;
  /** Number of candidates that were requested from each index, and that remained after fusion. */
  candidates: number;
  pool: number;
  denseWeights: readonly number[];
  /** How each target was found by vectors, for the comparison of a canary. */
  signs: readonly RetrievalSigns[];
  /** Canaries that could not answer: the active generation did. */
  failedCanaries: readonly ChosenCanary[];
  queryVectors: ReadonlyMap<EmbeddingVersion, Float32Array>;
  backgrounds: ReadonlyMap<EmbeddingVersion, ScoreSpread>;
  /** Only if the search asked for it. */
  rewriting?: Rewriting;
  /** Only if the search asked for a reranker. */
  reranked?: Reranking;
}>;

/**
 * Runs one search on one view. It has no effect outside: it writes no record and counts for no quota, so a search can be repeated on
 * another view or with other stages. @throws NotFound, Unavailable, EmbeddingModelMismatch
 */
export const runSearch = (stages: SearchStages, start: SearchStart, system?: System): Promise<Searched> =>
  withCanaries(start, (attempt) => searchOnce(stages, attempt, system));

const searchOnce = async (stages: SearchStages, start: SearchStart, system?: System): Promise<Searched> => {
  const run = new StageRun(system);
  refuseUnlessServing(start.view);
  const position = start.view.position();
  const outcome = await stages.run(start, run);
  const { hits, targets, wanted, ranking, denseWeights, queryVectors, backgrounds, dense, lexical } = outcome;
  const { rewriting, reranked, synonyms, corrections = [], ignoredTerms = [] } = outcome;
  // If an index was damaged or is being rebuilt meanwhile, results may be missing.
  refuseUnlessServing(start.view);
  const lacksVector = ({ embeddingVersion }: SearchTarget): boolean => !queryVectors.has(embeddingVersion);
  const lexicalOnly = isHybrid(start.request.strategy) ? targets.searchable.filter(lacksVector) : [];
  const signs = targets.searchable.map((_, scopeAt) => signsOf(scopeAt, dense, lexical));
  const found = {
    skipped: run.skipped(),
    candidates: wanted.pool,
    pool: ranking.length,
    denseWeights,
    queryVectors,
    backgrounds,
    signs,
    failedCanaries: [],
  };
  const notes = {
    ...(rewriting ? { rewriting } : {}),
    ...(reranked ? { reranked } : {}),
    ...(corrections.length > 0 ? { corrections } : {}),
    ...(synonyms ? { synonyms } : {}),
    ...(ignoredTerms.length > 0 ? { ignoredTerms } : {}),
  };
  return { hits, position, timings: run.timings(), targets, lexicalOnly, ...found, ...notes };
};

const refuseUnlessServing = (view: ReadView): void => {
  if (!view.serving()) throw new Unavailable('the read models are catching up with the log', { forCallers: true });
};
