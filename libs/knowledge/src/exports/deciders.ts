export type { Decider } from '../deciders/decider.ts';
export { awaitsWork, document, type DocumentCommand, type IndexingResult } from '../deciders/document.ts';
export type { CurrentVersion, Document, RecordedChunk } from '../deciders/document-state.ts';
export {
  isGone,
  knowledgeBase,
  type KnowledgeBase,
  type KnowledgeBaseCommand,
  type KnowledgeBaseStatus,
} from '../deciders/knowledge-base.ts';
export { companionOf } from '../deciders/scope-companion.ts';
export { scope, refuseToPlan, type ScopeCommand } from '../deciders/scope.ts';
export {
  activeGeneration,
  comingGeneration,
  liveGenerations,
  openRanges,
  type Generation,
  type Scope,
  type Swap,
} from '../deciders/scope-state.ts';
export { models, type Models, type ModelsCommand } from '../deciders/models.ts';
export { tenant, type Tenant, type TenantCommand } from '../deciders/tenant.ts';
export {
  knowledgeBaseStream,
  documentStream,
  scopeStream,
  auditStream,
  deniedStream,
  modelsStream,
  retrievalStream,
  tenantStream,
} from '../streams.ts';
export { beginOfRange, DOCUMENT_RANGES, MAX_DOCUMENT_RANGES, rangeOf, rangesFor, rangesOf } from '../values/document-range.ts';
