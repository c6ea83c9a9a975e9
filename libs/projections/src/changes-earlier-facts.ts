import type { DomainEvent, KnowledgeBaseConfigured, ScopeEvent } from '@palimpsest/knowledge';
import { isScopeEvent } from './scope-generations.ts';

/** Whether an event can change what earlier facts lead to in the indexes: which generations are written, and the language that texts without one are read in. */
export const changesEarlierFacts = (event: DomainEvent): event is ScopeEvent | KnowledgeBaseConfigured => isScopeEvent(event) || event.type === 'KnowledgeBaseConfigured';
