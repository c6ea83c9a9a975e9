import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';
import { evaluationLatency, evaluationMeasure, EVALUATION_VERDICTS } from './evaluations.ts';
import { strategyFields, strategyInUse } from './strategy-in-use.ts';

const strategyEvaluation = view('StrategyEvaluation', {
  ...strategyFields,
  against: strategyInUse.describe('The strategy that it was compared with: what searches used by default.'),
  verdict: z.enum(EVALUATION_VERDICTS),
  reasons: list(z.string()),
  additionalQueries: z.number().exactOptional().describe('How many more judged queries would probably decide it.'),
  margin: z.number().describe('The loss that is accepted.'),
  seed: z.number(),
  from: position,
  upTo: position,
  measure: evaluationMeasure.exactOptional().describe('Missing if no query could be searched with both strategies.'),
  golden: part({ used: z.number(), synthetic: z.number(), unusable: z.number() }),
  unsettled: z.number().describe('Queries that were left out because documents were indexed during each attempt.'),
  reranked: part({ blended: z.number(), abstained: z.number(), skipped: z.number() })
    .exactOptional()
    .describe('Searches of the strategy by what its reranker did.'),
  latency: part({ before: evaluationLatency, after: evaluationLatency }).exactOptional().describe('Milliseconds of a whole search.'),
});
export type StrategyEvaluation = z.infer<typeof strategyEvaluation>;

export const knowledgeBaseStrategy = view('KnowledgeBaseStrategy', {
  knowledgeBase: z.string(),
  default: strategyInUse.describe('What was set for searches that name no strategy.'),
  used: strategyInUse.describe('What such searches use now.'),
  detail: z.string().exactOptional().describe('Why they use another one than was set.'),
  evaluation: strategyEvaluation.exactOptional().describe('The latest one.'),
  position,
});
export type KnowledgeBaseStrategy = z.infer<typeof knowledgeBaseStrategy>;
