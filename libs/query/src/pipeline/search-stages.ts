import type { EmbeddingProviders, ScopeKeys } from '@palimpsest/knowledge/ports';
import { textsFor } from '../search/arrangement.ts';
import type { Background } from './background.ts';
import { collapse } from './collapse.ts';
import { diversify } from './diversify.ts';
import { embedQuery, type KnownOfQuery } from './embed-query.ts';
import { expand } from './expand.ts';
import { rewrite, type ConfiguredChatModel } from './rewrite.ts';
import { fuse } from './fuse.ts';
import { groupByDocument } from './group-by-document.ts';
import { highlight } from './highlight.ts';
import { keepPhrases } from './keep-phrases.ts';
import { openTexts } from './open-texts.ts';
import { manyToRerank, rerank, type ConfiguredReranker } from './rerank.ts';
import { resolveTargets } from './resolve-targets.ts';
import { retrieveDense } from './retrieve-dense.ts';
import { retrieveLexical } from './retrieve-lexical.ts';
import type { SearchOutcome, SearchStart } from './search-state.ts';
import { correctSpelling } from './spelling.ts';
import { addSynonyms } from './synonyms.ts';
import { selectByTerms } from './select-by-terms.ts';
import { StageList } from './stage-list.ts';
import { widening } from './widening.ts';

/** Any list of stages that can answer a search. */
export type SearchStages = Pick<StageList<SearchStart, SearchOutcome>, 'run'>;

/** `reranker`, `chat`: of the installation, if it has one. `background`: shared by all searches of the process. */
export type StagePorts = Readonly<{
  providers: EmbeddingProviders;
  keys: ScopeKeys;
  background: Background;
  reranker?: ConfiguredReranker | undefined;
  chat?: ConfiguredChatModel | undefined;
}>;

/** The stages of a search, in order. `known`: for a search that is run again. */
export const searchStages = ({ providers, keys, background, reranker, chat }: StagePorts, known: KnownOfQuery = {}): SearchStages => {
  const toRerank = manyToRerank(reranker, known);
  return widening(
    StageList.startingWith<SearchStart>()
      .next(resolveTargets)
      .next(selectByTerms)
      .parallel(
        (branch) =>
          branch
            .next(rewrite(chat, known))
            .next(embedQuery(providers, background, known))
            .next(retrieveDense),
        (branch) => branch.next(correctSpelling).next(addSynonyms).next(retrieveLexical),
      )
      .next(fuse(providers, known))
      .next(openTexts(keys, (request) => Math.max(textsFor(request), toRerank(request))))
      .next(keepPhrases)
      .next(rerank(reranker, providers, known))
      .next(collapse)
      .next(diversify)
      .next(groupByDocument)
      .next(expand(keys))
      .next(highlight),
  );
};
