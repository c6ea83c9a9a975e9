import type { EmbeddingProviders, ScopeKeys } from '@palimpsest/knowledge/ports';
import { embedQuery, type KnownOfQuery } from './embed-query.ts';
import { fuse } from './fuse.ts';
import { highlight } from './highlight.ts';
import { openTexts } from './open-texts.ts';
import { manyToOpen, rerank, type ConfiguredReranker } from './rerank.ts';
import { resolveTargets } from './resolve-targets.ts';
import { retrieveDense } from './retrieve-dense.ts';
import { retrieveLexical } from './retrieve-lexical.ts';
import type { SearchOutcome, SearchStart } from './search-state.ts';
import { StageList } from './stage-list.ts';

/** Any list of stages that can answer a search. */
export type SearchStages = Pick<StageList<SearchStart, SearchOutcome>, 'run'>;

/** `reranker`: of the installation, if it has one. */
export type StagePorts = Readonly<{ providers: EmbeddingProviders; keys: ScopeKeys; reranker?: ConfiguredReranker | undefined }>;

/** The stages of a search, in order. `known`: for a search that is run again. */
export const searchStages = ({ providers, keys, reranker }: StagePorts, known: KnownOfQuery = {}): SearchStages =>
  StageList.startingWith<SearchStart>()
    .next(resolveTargets)
    .parallel(
      (branch) => branch.next(embedQuery(providers, known)).next(retrieveDense),
      (branch) => branch.next(retrieveLexical),
    )
    .next(fuse(providers, known))
    .next(openTexts(keys, manyToOpen(reranker, known)))
    .next(rerank(reranker, known))
    .next(highlight);
