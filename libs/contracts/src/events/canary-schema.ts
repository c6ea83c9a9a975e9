import { z } from 'zod';
import { wire } from '../schemas/values.ts';

const side = z.object({
  queries: wire.count,
  empty: wire.count,
  latencyP50: z.number().exactOptional(),
  latencyP95: z.number().exactOptional(),
  score: z.number().exactOptional(),
  agreement: z.number().exactOptional(),
});

const finding = z.object({
  measure: z.enum(['empty', 'latency', 'score', 'agreement']),
  canary: z.number(),
  active: z.number(),
  p: z.number(),
  level: z.number(),
});

export const canaryStartedSchema = z.object({
  scope: wire.scope,
  generation: wire.generationId,
  against: wire.generationId,
  share: z.number().min(0).max(100),
  thresholds: z.object({ emptyShare: z.number(), slowdown: z.number(), scoreDrop: z.number(), agreementDrop: z.number() }),
  startedAt: wire.time,
  forced: z.string().exactOptional(),
});

/** Figures only: nothing in it says anything about content. */
export const canaryEndedSchema = z.object({
  scope: wire.scope,
  generation: wire.generationId,
  reason: z.enum(['stopped', 'regression', 'cut-over', 'cancelled', 'rolled-back']),
  evidence: z.object({ canary: side, active: side, findings: z.array(finding), upTo: z.string().regex(/^[0-9]{1,20}$/) }).exactOptional(),
  endedAt: wire.time,
});
