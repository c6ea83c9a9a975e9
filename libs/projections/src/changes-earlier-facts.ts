import type { DomainEvent, KnowledgeBaseConfigured } from '@palimpsest/knowledge/events';
import type { DocumentHistoryRemoved } from '@palimpsest/knowledge/history';
import { isGenerationEvent, type GenerationEvent } from './scope-generations.ts';

/**
 * Whether an event can change how earlier facts are indexed: which generations are written, the language of texts without one, and what of
 * a document was written by facts that were removed.
 */
export const changesEarlierFacts = (event: DomainEvent): event is GenerationEvent | KnowledgeBaseConfigured | DocumentHistoryRemoved =>
  isGenerationEvent(event) || event.type === 'KnowledgeBaseConfigured' || event.type === 'DocumentHistoryRemoved';
