export {
  partitionKey,
  type IndexPartition,
  type ReadablePartition,
  type IndexStore,
  type IndexQuery,
  type IndexEntry,
  type IndexRemoval,
} from '../ports/index-partition.ts';
export type { VectorIndex, VectorSearch, VectorPut, VectorHit } from '../ports/vector-index.ts';
export {
  NO_LEXICAL_SPREAD,
  readingLanguages,
  type LexicalIndex,
  type LexicalSearch,
  type LexicalPut,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSpread,
} from '../ports/lexical-index.ts';
export { NO_SPREAD, pooledSpread, spreadOf, standardScore, type ScoreSpread } from '../ports/score-spread.ts';
export {
  DOCUMENT_STATES,
  type RefusedChunks,
  type ScopeCounts,
  type CatalogChunk,
  type VisibleChunk,
  type DocumentView,
  type DocumentVersionView,
  type DocumentState,
  type DocumentQuery,
  type KnowledgeBaseView,
  type ScopeView,
  type StateCounts,
  type Page as ListPage,
} from '../ports/catalog/catalog-views.ts';
export type { Catalog } from '../ports/catalog/catalog.ts';
export type { CatalogReader } from '../ports/catalog/catalog-reader.ts';
export type { CatalogChange, ChunkContent } from '../ports/catalog/catalog-changes.ts';
export type { CatalogRow, CatalogRowName, CatalogContents } from '../ports/catalog/catalog-contents.ts';
export type { WaitingDocument, DeferredDocument, LanguageCount, LanguageOfBase, CatalogWork } from '../ports/catalog/catalog-work.ts';
export type { CatalogStore } from '../ports/catalog/catalog-store.ts';
export type { ReadModels } from '../ports/read-models.ts';
export type { CatalogView, ReadView, Views } from '../ports/read-view.ts';
export type { Ordered, OrderedWrites } from '../ports/ordered-writes.ts';
export type { ShareProgress, SharedVectors } from '../ports/shared-vectors.ts';
