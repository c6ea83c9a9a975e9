import type { DomainEvent, KnowledgeBaseConfigured } from '@palimpsest/knowledge/events';
import { isGenerationEvent, type GenerationEvent } from './scope-generations.ts';

/** Whether an event can change how earlier facts are indexed: which generations are written, and the language of texts without one. */
export const changesEarlierFacts = (event: DomainEvent): event is GenerationEvent | KnowledgeBaseConfigured =>
  isGenerationEvent(event) || event.type === 'KnowledgeBaseConfigured';
