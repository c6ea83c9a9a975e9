export type { Branded } from '../values/brand.ts';
export { tenantId, DEFAULT_TENANT, type TenantId } from '../values/tenant.ts';
export { vectorScope, DEPLOYMENT, scopeKey, type VectorScope, type TenantScope } from '../values/scope.ts';
export {
  embeddingVersion,
  embeddingVersionOf,
  embeddingVersionParts,
  MAX_DIMENSIONS,
  chunkingVersion,
  generationId,
  generationNumber,
  type EmbeddingVersion,
  type ChunkingVersion,
  type GenerationId,
} from '../values/versions.ts';
export {
  chunkListId,
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  KNOWLEDGE_BASE_CHUNKING,
  recipeWith,
  UNKNOWN_ANALYSER,
  type ChunkingRecipe,
  type ChunkListId,
  type EmbeddingRecipe,
  type Recipe,
} from '../values/recipe.ts';
export {
  documentId,
  chunkId,
  knowledgeBaseId,
  sourceId,
  sha256,
  type DocumentId,
  type ChunkId,
  type KnowledgeBaseId,
  type SourceId,
  type Digest,
} from '../values/ids.ts';
export { position, START, laterOf, earlierOf, type Position } from '../values/position.ts';
export { isHybrid, STRATEGIES, type Strategy } from '../values/strategy.ts';
export { labels, origin, ORIGINS, type Labels, type Origin } from '../values/labels.ts';
export { shareOf } from '../values/share-of.ts';
export { CHUNKERS, type ChunkerName, type ChunkingNumber, type ChunkingSettings, type DocumentKind } from '../values/chunking.ts';
