import type { Access } from '@palimpsest/knowledge/access';
import type { QuotaPolicy, Downgrade } from '@palimpsest/knowledge/limits';
import type { TokenCounter } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import type { SearchAnswer } from '../search/search-answer.ts';
import type { SearchKnowledge } from '../search/search-knowledge.ts';
import { buildContext, type Citation, type Context } from './build-context.ts';
import type { ContextRequest } from './context-request.ts';
import { fenceFor } from './fence.ts';

export type RetrievedContext = Omit<Context, 'citations'> &
  Readonly<{
    citations: readonly (Citation & Readonly<{ source: string }>)[];
    position: Position;
    traceId: string;
    timings: SearchAnswer['timings'];
    downgraded?: Downgrade;
  }>;

/** Runs a search and builds a prompt section from its hits. */
export class RetrieveContext {
  readonly #search: SearchKnowledge;
  readonly #tokens: TokenCounter;
  readonly #quotaPolicy: QuotaPolicy;

  constructor(search: SearchKnowledge, tokens: TokenCounter, quotaPolicy: QuotaPolicy) {
    this.#search = search;
    this.#tokens = tokens;
    this.#quotaPolicy = quotaPolicy;
  }

  /** @throws RateLimited, and the errors of `SearchKnowledge.runAdmitted` */
  async run(access: Access, { search, maxTokens, grounding }: ContextRequest): Promise<RetrievedContext> {
    await this.#quotaPolicy.request(access, 'context');
    const { hits, position, traceId, timings, downgraded } = await this.#search.runAdmitted(access, search);
    const sources = new Map(hits.map(({ chunkId, source }) => [chunkId, source]));
    const context = buildContext(hits, { maxTokens, grounding, tokens: this.#tokens, fence: fenceFor(hits) });
    const citations = context.citations.map((citation) => ({ ...citation, source: sources.get(citation.chunkId) ?? '' }));
    return { ...context, citations, position, traceId, timings, ...(downgraded ? { downgraded } : {}) };
  }
}
