import type { Access, Admission, Downgrade, Position, TokenCounter } from '@palimpsest/knowledge';
import type { SearchAnswer } from '../search/search-answer.ts';
import type { SearchKnowledge } from '../search/search-knowledge.ts';
import { buildContext, type Context } from './build-context.ts';
import type { ContextRequest } from './context-request.ts';
import { fenceFor } from './fence.ts';

export type RetrievedContext = Context & Readonly<{ position: Position; traceId: string; timings: SearchAnswer['timings']; downgraded?: Downgrade }>;

/** A search whose hits become a section of a prompt. */
export class RetrieveContext {
  readonly #search: SearchKnowledge;
  readonly #tokens: TokenCounter;
  readonly #admission: Admission;

  constructor(search: SearchKnowledge, tokens: TokenCounter, admission: Admission) {
    this.#search = search;
    this.#tokens = tokens;
    this.#admission = admission;
  }

  /** @throws RateLimited, and what a search does */
  async run(access: Access, { search, maxTokens, grounding }: ContextRequest): Promise<RetrievedContext> {
    await this.#admission.request(access, 'context');
    const { hits, position, traceId, timings, downgraded } = await this.#search.runAdmitted(access, search);
    const sources = new Map(hits.map(({ chunkId, source }) => [chunkId, source]));
    const context = buildContext(hits, { maxTokens, grounding, tokens: this.#tokens, fence: fenceFor(hits) });
    const citations = context.citations.map((citation) => ({ ...citation, source: sources.get(citation.chunkId) ?? '' }));
    return { ...context, citations, position, traceId, timings, ...(downgraded ? { downgraded } : {}) };
  }
}
