export { passageFigures, precisionOmega, type PassageFigures, type Retrieved } from './chunking/passage-measures.ts';
export type { Span } from './chunking/spans.ts';
export {
  compareCandidates,
  compareSides,
  type Comparison,
  type CompareOptions,
  type MeasureComparison,
  type MeasuredSides,
} from './comparison/compare-sides.ts';
export { MIN_QUERIES, overallVerdict, type Verdict } from './comparison/verdict.ts';
export { GATE_MARGIN, GATE_MEASURE, gateLatency, gateMeasure, gateReason, type GateMeasure } from './gate/gate.ts';
export { drawJudgedQueries, type JudgedQuery } from './gate/judged-queries.ts';
export type { Judgements, Ranking, Subtopics } from './measures/judgements.ts';
export { measureNamed, type Measure } from './measures/measure-named.ts';
export { rankByScore, type ScoredDocument } from './measures/rank-by-score.ts';
export { matchFloors, type MatchedFloor } from './rankings/match-floors.ts';
export { overlap } from './rankings/overlap.ts';
export { rankBiasedOverlap } from './rankings/rank-biased-overlap.ts';
export { scoreShift } from './rankings/score-shift.ts';
export type { Interval } from './statistics/bootstrap.ts';
export { describeMeans, type DescribedMean } from './statistics/describe-means.ts';
export { quantile } from './statistics/quantile.ts';
export {
  BASELINE_WINDOW,
  ERROR_RATE,
  isLook,
  LOOK_EVERY,
  regressions,
  WINDOW,
  type Observation,
  type Regression,
  type Tolerances,
} from './sequential/regressions.ts';
