import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';

/**
 * How much worse the callers of a canary may be served. `emptyShare`: by how much the share of empty answers may be higher. `slowdown`: how
 * many times as long an answer may take. `scoreDrop`, `agreementDrop`: which part of the value of the active generation may be lost.
 */
export type CanaryThresholds = Readonly<{ emptyShare: number; slowdown: number; scoreDrop: number; agreementDrop: number }>;

/**
 * What was recorded about the queries of one side, those with vectors only. Latencies in milliseconds. `score`: mean of the standard score of the best result by
 * vectors, among all chunks of the scope. `agreement`: mean share of the best results by vectors that words find, too.
 */
export type CanarySide = Readonly<{
  queries: number;
  empty: number;
  latencyP50?: number;
  latencyP95?: number;
  score?: number;
  agreement?: number;
}>;

/** What the sides are compared by. */
export type CanaryMeasure = 'empty' | 'latency' | 'score' | 'agreement';

/** `p`: probability of such a difference if the canary were just within its threshold. A regression: it is at most `level`. */
export type CanaryFinding = Readonly<{ measure: CanaryMeasure; canary: number; active: number; p: number; level: number }>;

/** Both sides when they were compared. `findings`: the regressions. `upTo`: the position of the last query. */
export type CanaryEvidence = Readonly<{
  canary: CanarySide;
  active: CanarySide;
  findings: readonly CanaryFinding[];
  upTo: string;
}>;

/**
 * A share of the callers, in percent, is served by this generation instead of the active one (`against`). Recorded again when the share or
 * a threshold is changed: the comparison then starts again. `forced`: why, although the generation was evaluated as worse.
 */
export type CanaryStarted = Event<
  'CanaryStarted',
  {
    scope: VectorScope;
    generation: GenerationId;
    against: GenerationId;
    share: number;
    thresholds: CanaryThresholds;
    startedAt: string;
    forced?: string;
  }
>;

/**
 * Why all callers are served by one generation again. `stopped`: by a person. `regression`: by the platform, with its evidence. `cut-over`:
 * the generation is active. `cancelled`: it is deleted. `rolled-back`: the generation that it was compared with is no longer active.
 */
export type CanaryEndReason = 'stopped' | 'regression' | 'cut-over' | 'cancelled' | 'rolled-back';

export type CanaryEnded = Event<
  'CanaryEnded',
  { scope: VectorScope; generation: GenerationId; reason: CanaryEndReason; evidence?: CanaryEvidence; endedAt: string }
>;

export type CanaryEvent = CanaryStarted | CanaryEnded;
