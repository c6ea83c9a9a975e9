import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { Rewriting } from '../pipeline/rewriting.ts';
import type { Reranking } from '../pipeline/reranking.ts';
import type { ReadView } from '@palimpsest/knowledge/read-models';
import { isHybrid } from '@palimpsest/knowledge/values';
import type { ChunkId, EmbeddingVersion, GenerationId, KnowledgeBaseId, Position, VectorScope } from '@palimpsest/knowledge/values';
import type { CanaryRouting } from '../canary/canary-routing.ts';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { SearchedSynonyms } from '../pipeline/search-state.ts';
import type { SearchStages } from '../pipeline/search-stages.ts';
import { StageRun } from '../pipeline/stage-run.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { arrangementOf, type Arrangement } from './arrangement.ts';

/** One of the searches that are compared. `ranks`: of all candidates, from 1. `words`: the candidates that contain a word of the query. */
export type Side = Readonly<{
  position: Position;
  hits: readonly SearchHit[];
  ranks: ReadonlyMap<ChunkId, number>;
  words: ReadonlySet<ChunkId>;
  generations: ReadonlyMap<VectorScope, GenerationId>;
  models: ReadonlyMap<VectorScope, EmbeddingVersion>;
  weights: ReadonlyMap<VectorScope, number>;
  /** Of the knowledge bases of the hits. */
  languages: ReadonlyMap<KnowledgeBaseId, string>;
  /** Scopes that were searched by words only, because their model is missing. */
  lexicalOnly: readonly VectorScope[];
  /** Only if words of the query have synonyms. */
  synonyms?: SearchedSynonyms;
  /** Only if the query was rewritten. */
  rewriting?: Rewriting;
  /** Only if the search asked for a reranker. */
  reranked?: Reranking;
}> &
  Arrangement;

/** What a search is run on. `generations`: those that serve, where they are not the active ones. */
export type RunOn = Readonly<{
  access: Access;
  view: ReadView;
  request: SearchRequest;
  generations: ReadonlyMap<VectorScope, GenerationId>;
}>;

/** Runs a search without any effect outside: no record, no quota, no canary. @throws Unavailable, and the errors of the stages */
export const runSide = async (stages: SearchStages, { access, view, request, generations }: RunOn): Promise<Side> => {
  if (!view.serving()) throw new Unavailable('the read models are catching up with the log', { forCallers: true });
  const position = view.position();
  const canaries: CanaryRouting = { generationFor: ({ scope }) => generations.get(scope) };
  const found = await stages.run({ access, view, request, canaries, recorded: true }, new StageRun());
  const { searchable, permitted } = found.targets;
  const bases = new Set(found.hits.map(({ knowledgeBase }) => knowledgeBase));
  const languages = new Map<KnowledgeBaseId, string>();
  for (const id of bases) languages.set(id, (await view.catalog.knowledgeBase(permitted, id))?.language ?? 'und');
  const inOrder = new Set([...found.opened, ...found.ranking].map(({ chunkId }) => chunkId));
  return {
    position,
    hits: found.hits,
    ranks: new Map([...inOrder].map((chunkId, i) => [chunkId, i + 1])),
    words: new Set(found.lexical.hits.map(({ chunkId }) => chunkId)),
    generations: new Map(searchable.map(({ scope: { scope }, partition }) => [scope, partition.generation])),
    models: new Map(searchable.map(({ scope: { scope }, embeddingVersion }) => [scope, embeddingVersion])),
    weights: new Map(searchable.map(({ scope: { scope } }, i) => [scope, found.denseWeights[i] ?? 0])),
    languages,
    lexicalOnly: searchable
      .filter(({ embeddingVersion }) => isHybrid(request.strategy) && !found.queryVectors.has(embeddingVersion))
      .map(({ scope: { scope } }) => scope),
    ...arrangementOf(request, found.opened),
    ...(found.synonyms ? { synonyms: found.synonyms } : {}),
    ...(found.rewriting ? { rewriting: found.rewriting } : {}),
    ...(found.reranked ? { reranked: found.reranked } : {}),
  };
};
