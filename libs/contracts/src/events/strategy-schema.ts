import { z } from 'zod';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import { wire } from '../schemas/values.ts';
import { latency, logPosition, measure, verdict } from './evaluation-schema.ts';

const reranker = z.object({ version: z.string(), weight: z.number(), candidates: wire.count });
const strategy = { strategy: z.enum(STRATEGIES), reranker: reranker.exactOptional() };

export const strategyEvaluationSchema = z.object({
  ...strategy,
  id: wire.knowledgeBaseId,
  against: z.object(strategy),
  verdict,
  reasons: z.array(z.string()),
  additionalQueries: wire.count.exactOptional(),
  margin: z.number(),
  seed: wire.count,
  from: logPosition,
  upTo: logPosition,
  measure: measure.exactOptional(),
  golden: z.object({ used: wire.count, synthetic: wire.count, unusable: wire.count }),
  unsettled: wire.count,
  reranked: z.object({ blended: wire.count, abstained: wire.count, skipped: wire.count }).exactOptional(),
  latency: z.object({ before: latency, after: latency }).exactOptional(),
  evaluatedAt: wire.time,
});

export const strategySetSchema = z.object({ ...strategy, id: wire.knowledgeBaseId, setAt: wire.time, forced: z.string().exactOptional() });
