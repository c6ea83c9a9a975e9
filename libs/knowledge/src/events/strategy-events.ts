import type { KnowledgeBaseId } from '../values/ids.ts';
import type { Strategy } from '../values/strategy.ts';
import type { EvaluationLatency, EvaluationMeasure, EvaluationVerdict } from './evaluation-events.ts';
import type { Event } from './event.ts';

/** A reranker with the settings that change the order of results. `candidates`: how many results it scores at least. */
export type RerankerInUse = Readonly<{ version: string; weight: number; candidates: number }>;
/** `reranker`: only of a strategy that has one. */
export type StrategyInUse = Readonly<{ strategy: Strategy; reranker?: RerankerInUse }>;

/** The comparison of a strategy (`after`) with the one that searches used by default (`before`). */
export type StrategyEvaluation = StrategyInUse &
  Readonly<{
    against: StrategyInUse;
    verdict: EvaluationVerdict;
    reasons: readonly string[];
    additionalQueries?: number;
    margin: number;
    seed: number;
    /** Positions of the log at the first and the last query; each query was searched with both strategies at one position. */
    from: string;
    upTo: string;
    /** Missing if no query could be searched with both strategies. */
    measure?: EvaluationMeasure;
    /** Judged queries: how many were used, synthetic ones that were left out, and those without a relevant document that exists. */
    golden: Readonly<{ used: number; synthetic: number; unusable: number }>;
    /** Queries that were left out because the read models moved on during each attempt. */
    unsettled: number;
    /** Searches of the strategy by what its reranker did. Only of a strategy that has one. */
    reranked?: Readonly<{ blended: number; abstained: number; skipped: number }>;
    /** Milliseconds of a whole search. */
    latency?: Readonly<{ before: EvaluationLatency; after: EvaluationLatency }>;
  }>;

export type KnowledgeBaseStrategyEvaluated = Event<
  'KnowledgeBaseStrategyEvaluated',
  StrategyEvaluation & { id: KnowledgeBaseId; evaluatedAt: string }
>;
/**
 * Searches of the knowledge base that name no strategy use this one from here on. `forced`: why, although no evaluation found that it is
 * not worse.
 */
export type KnowledgeBaseStrategySet = Event<
  'KnowledgeBaseStrategySet',
  StrategyInUse & { id: KnowledgeBaseId; setAt: string; forced?: string }
>;
