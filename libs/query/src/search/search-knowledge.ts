import { SYSTEM, timestamp, type System } from '@palimpsest/foundation';
import { search } from '@palimpsest/contracts/routes/search';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { type Access } from '@palimpsest/knowledge/access';
import { lookBack, type PastViews } from '@palimpsest/knowledge/past';
import type { RetrievalRuntime } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { CatalogReader, ReadView, Views } from '@palimpsest/knowledge/read-models';
import type { CanaryRouting } from '../canary/canary-routing.ts';
import { runSearch, type Searched } from '../pipeline/run-search.ts';
import { isMiss } from './retrieval-miss.ts';
import { searchStages, type SearchStages, type StagePorts } from '../pipeline/search-stages.ts';
import type { SearchTarget } from '../pipeline/search-targets.ts';
import type { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { newTraceId } from '../replay/trace-id.ts';
import { chooseStrategy } from './choose-strategy.ts';
import { refuseSpelling } from './checked-spelling.ts';
import { describeRewriting, refuseWithoutChatModel } from './describe-rewriting.ts';
import { describeReranking } from './describe-reranking.ts';
import { keyScopeOf } from './key-scope.ts';
import { retrievalRecordOf } from './retrieval-record-of.ts';
import { retrievalSeen, unobserved, type ObserveRetrieval } from './retrieval-seen.ts';
import type { LexicalOnly, SearchAnswer } from './search-answer.ts';
import type { AskedSearch, SearchRequest } from './search-request.ts';

export type SearchPorts = StagePorts &
  Readonly<{
    views: Views;
    pastViews: PastViews;
    records: RetrievalRecordQueue;
    quotaPolicy: QuotaPolicy;
    /** The version of Palimpsest that the record names. */
    version: string;
    /** Default: every caller is served by the active generations. */
    canaries?: CanaryRouting;
    /** Default: not observed. */
    observeRetrieval?: ObserveRetrieval;
    system?: System;
  }>;

/** Finds the passages that match a query best. */
export class SearchKnowledge extends query<AskedSearch, SearchAnswer>(search, { shows: ({ hits }) => hits }) {}

/**
 * The one entry point of retrieval: checks quotas, runs the stages on the live view, and records the retrieval. A search in the past runs on
 * the view of its moment, is served by the generations that were active there, and leaves no record: it would appear among those of today.
 */
export class SearchKnowledgeHandler implements UseCase {
  readonly handlers = [on(SearchKnowledge, ({ access, input }) => this.run(access, input))];
  readonly #ports: SearchPorts;
  readonly #stages: SearchStages;
  readonly #system: System;

  constructor(ports: SearchPorts, stages: SearchStages = searchStages(ports)) {
    this.#ports = ports;
    this.#system = ports.system ?? SYSTEM;
    this.#stages = stages;
  }

  /** @throws InvalidValue, NotFound, QuotaExceeded, Unavailable, EmbeddingModelMismatch */
  async run(access: Access, asked: AskedSearch): Promise<SearchAnswer> {
    const { quotaPolicy } = this.#ports;
    const strategyIn = chooseStrategy(this.#ports, access, asked);
    refuseWithoutChatModel(asked, this.#ports.chat);
    refuseSpelling(access, asked);
    const reservation = await quotaPolicy.reserveRetrieval(access.tenant);
    try {
      const traceId = newTraceId(this.#system);
      const withTexts = quotaPolicy.of(access.tenant).limits.recordQueries === true;
      const { result, asOf } = await lookBack(this.#ports, { ...asked, access }, async (view, now) => {
        const chosen = await strategyIn(view.catalog);
        return { ...chosen, searched: await this.#search(access, chosen.request, { view, traceId, withTexts, ...(now ? { now } : {}) }) };
      });
      const { searched, request, downgraded, defaultStrategy } = result;
      if (asOf === undefined) {
        this.#record(access, request, searched, traceId, withTexts);
        reservation.commit(traceId);
      } else reservation.release();
      const { hits, position, timings, ignoredTerms, corrections, synonyms } = searched;
      const lexicalOnly = searched.lexicalOnly.map(describeLexicalOnly);
      return {
        hits,
        miss: isMiss(hits),
        position,
        traceId,
        timings,
        ...(asOf ? { asOf } : {}),
        ...(downgraded ? { downgraded } : {}),
        ...(defaultStrategy ? { defaultStrategy } : {}),
        ...(lexicalOnly.length > 0 ? { lexicalOnly } : {}),
        ...(ignoredTerms ? { ignoredTerms } : {}),
        ...(corrections ? { corrections } : {}),
        ...(synonyms ? { synonyms } : {}),
        ...(searched.rewriting ? { rewritten: describeRewriting(searched.rewriting) } : {}),
        ...(searched.reranked ? { reranked: describeReranking(searched.reranked) } : {}),
      };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  #search(
    access: Access,
    request: SearchRequest,
    { view, now, traceId, withTexts }: Readonly<{ view: ReadView; now?: CatalogReader; traceId: string; withTexts: boolean }>,
  ): Promise<Searched> {
    const { canaries, observeRetrieval = unobserved } = this.#ports;
    const start = { request, access, view, ...(now ? { now } : canaries ? { canaries } : {}) };
    return observeRetrieval(
      () => runSearch(this.#stages, start, this.#system),
      (found) => retrievalSeen(request, found, traceId, { withTexts }),
    );
  }

  #record(access: Access, request: SearchRequest, searched: Searched, traceId: string, withQuery: boolean): void {
    const { records, keys } = this.#ports;
    const keyScope = keyScopeOf(searched.targets.permitted);
    const runtime = this.#runtime();
    const retrievedAt = timestamp(this.#system.clock);
    records.add(access.tenant, access.actor, async () => {
      const cipher = await keys.cipher({ tenant: access.tenant, scope: keyScope });
      return retrievalRecordOf(
        { request, requiredLabels: access.requiredLabels, searched, traceId, runtime, retrievedAt },
        { cipher, keyScope, withQuery },
      );
    });
  }

  #runtime(): RetrievalRuntime {
    const { providers, version } = this.#ports;
    const { analyser } = providers.recipeOf(providers.current.version);
    return { palimpsest: version, node: process.version, platform: `${process.platform}-${process.arch}`, analyser };
  }
}

const describeLexicalOnly = ({ scope: { scope }, embeddingVersion }: SearchTarget): LexicalOnly => ({
  scope,
  embeddingVersion,
  detail: `${scope} was searched by words only, because its embedding model ${embeddingVersion} is not configured here`,
});
