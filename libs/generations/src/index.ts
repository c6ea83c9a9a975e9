export { BuildGeneration, type BuildGenerationPorts, type Run } from './build-generation.ts';
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
export { reembedding, type ReembeddingFeaturePorts } from './nest/reembedding-feature.ts';
