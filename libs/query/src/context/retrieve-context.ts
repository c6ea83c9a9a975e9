import { retrieveContext } from '@palimpsest/contracts/routes/search';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { TokenCounter } from '@palimpsest/knowledge/ports';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { SearchAnswer } from '../search/search-answer.ts';
import type { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { buildContext, type Citation, type Context } from './build-context.ts';
import type { ContextRequest } from './context-request.ts';
import { fenceFor } from './fence.ts';

export type RetrievedContext = Omit<Context, 'citations'> &
  Omit<SearchAnswer, 'hits' | 'miss'> &
  Readonly<{ citations: readonly (Citation & Readonly<{ source: string }>)[] }>;

/** Builds a prompt section from the best passages. The search checks each of them when it opens its text. */
export class RetrieveContext extends query<ContextRequest, RetrievedContext>(retrieveContext, NO_ROWS) {}

/** Runs a search and builds a prompt section from its hits. */
export class RetrieveContextHandler implements UseCase {
  readonly handlers = [on(RetrieveContext, ({ access, input }) => this.run(access, input))];
  readonly #search: SearchKnowledgeHandler;
  readonly #tokens: TokenCounter;

  constructor(search: SearchKnowledgeHandler, tokens: TokenCounter) {
    this.#search = search;
    this.#tokens = tokens;
  }

  /** @throws the errors of `SearchKnowledgeHandler.run` */
  async run(access: Access, { search, maxTokens, grounding, compress }: ContextRequest): Promise<RetrievedContext> {
    const { hits, miss: _, position, traceId, timings, ...notes } = await this.#search.run(access, search);
    const passages = withSurroundings(hits);
    const sources = new Map(passages.map(({ chunkId, source }) => [chunkId, source]));
    const compressing = compress ? { compressFor: search.query } : {};
    const context = buildContext(passages, { maxTokens, grounding, tokens: this.#tokens, fence: fenceFor(passages), ...compressing });
    const citations = context.citations.map((citation) => ({ ...citation, source: sources.get(citation.chunkId) ?? '' }));
    return { ...context, citations, position, traceId, timings, ...notes };
  }
}

/**
 * The hits, then the passages around them, each once: what was found comes before what stands next to it if the budget is small. The
 * context joins passages that follow each other.
 */
const withSurroundings = (hits: readonly SearchHit[]): readonly SearchHit[] => {
  const known = new Set(hits.map(({ chunkId }) => chunkId));
  const more = hits.flatMap(({ around = [], ...hit }) =>
    around.flatMap((passage) => {
      if (known.has(passage.chunkId)) return [];
      known.add(passage.chunkId);
      return [{ ...hit, ...passage }];
    }),
  );
  return [...hits, ...more];
};
