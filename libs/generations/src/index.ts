export { BuildGeneration, type BuildGenerationPorts } from './build-generation.ts';
export type { Run } from './run.ts';
export { ReembedDocument, type ReembeddingPorts } from './reembed-document.ts';
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
export type { EvaluationSettings } from './evaluation/evaluate-generation.ts';
