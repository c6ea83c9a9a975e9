export { ReembedDocument, type ReembeddingPorts } from './reembed-document.ts';
export { ReembedScope, type ReembeddingStarted, type ReembeddingProgress, type ReembedScopePorts } from './reembed-scope.ts';
export { reembedding, type ReembeddingFeaturePorts } from './nest/reembedding-feature.ts';
