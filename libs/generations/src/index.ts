export { BuildGeneration, type BuildGenerationPorts } from './build-generation.ts';
export type { Run } from './run.ts';
export type { ReembeddingPorts } from './reembed-documents.ts';
export {
  GetReembedding,
  ReembedScope,
  RetireGeneration,
  StartReembedding,
  type ReembeddingStarted,
  type ReembeddingProgress,
  type ReembedScopePorts,
} from './reembed-scope.ts';
export { reembedding, type ReembeddingFeaturePorts, type ReembeddingSettings } from './nest/reembedding-feature.ts';
export { fleets, type FleetFeaturePorts } from './nest/fleet-feature.ts';
export type { EvaluationSettings } from './evaluation/evaluate-generation.ts';
export { CompareCanaries } from './canary/compare-canaries.ts';
export type { SwapFigures, SwapState } from './swap-figures.ts';
