import { z } from 'zod';
import { fieldsOf, list, part, view } from '../view.ts';
import { position } from './documents.ts';

const thresholds = part({
  emptyShare: z.number().describe('By how much the share of empty answers may be higher.'),
  slowdown: z.number().describe('How many times as long an answer may take.'),
  scoreDrop: z.number().describe('Which part of the mean standard score of the best result may be lost.'),
  agreementDrop: z.number().describe('Which part of the agreement of vectors and words may be lost.'),
});

const side = part({
  queries: z.number().describe('Recorded queries of the scope since the start, without those by words only.'),
  empty: z.number().describe('Those without a result.'),
  latencyP50: z.number().exactOptional(),
  latencyP95: z.number().exactOptional(),
  score: z
    .number()
    .exactOptional()
    .describe('Mean standard score of the best result by vectors among all chunks of the scope: how far it stands out.'),
  agreement: z
    .number()
    .exactOptional()
    .describe('Mean share of the best ten results by vectors that are also among the best ten by words.'),
});

const finding = part({
  measure: z.enum(['empty', 'latency', 'score', 'agreement']),
  canary: z.number(),
  active: z.number(),
  p: z.number().describe('Probability of such a difference if the canary were just within its threshold.'),
  level: z.number().describe('The probability from which on it counts as a regression.'),
});

const evidence = part({ canary: side, active: side, findings: list(finding), upTo: position }).describe(
  'Both sides when they were compared. `findings`: the regressions.',
);

const ended = part({
  reason: z
    .enum(['stopped', 'regression', 'cut-over', 'cancelled', 'rolled-back'])
    .describe('`stopped`: by a person. `regression`: by the platform. `rolled-back`: its counterpart is no longer active.'),
  evidence: evidence.exactOptional(),
  endedAt: z.string(),
});

export const canarySummary = part({
  generation: z.string(),
  against: z.string().describe('The active generation, which serves all other callers.'),
  share: z.number().describe('Percent of the callers.'),
  thresholds,
  startedAt: z.string(),
  ended: ended.exactOptional(),
});

export const canaryView = view(
  'CanaryView',
  {
    scope: z.string(),
    ...fieldsOf(canarySummary),
    comparison: evidence
      .exactOptional()
      .describe('Both sides of a canary that runs, as of the latest recorded query. Missing once it has ended.'),
  },
  'A canary of a model swap: the new generation serves a share of the callers.',
);
export type CanaryView = z.infer<typeof canaryView>;
