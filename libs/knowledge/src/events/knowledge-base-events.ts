import type { KnowledgeBaseId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';

/** How documents of a knowledge base are cut, by their kind; sizes in UTF-16 units (`Chars`) or tokens. What is missing follows from the embedding model. */
export type ChunkingSettings = Readonly<{
  markdown: Readonly<{ maxChars?: number }>;
  tokens: Readonly<{ maxTokens?: number; overlap?: number; minTokens?: number }>;
  sheets: Readonly<{ maxChars?: number }>;
  code: Readonly<{ maxChars?: number; overlap?: number }>;
}>;

/** What its owner may change. `language`: a BCP 47 tag; read for texts whose own language is unknown. */
export type KnowledgeBaseSettings = Readonly<{ name: string; description: string; chunking: ChunkingSettings; language?: string }>;

export type KnowledgeBaseCreated = Event<
  'KnowledgeBaseCreated',
  KnowledgeBaseSettings & { id: KnowledgeBaseId; scope: VectorScope; createdAt: string }
>;
export type KnowledgeBaseConfigured = Event<
  'KnowledgeBaseConfigured',
  KnowledgeBaseSettings & { id: KnowledgeBaseId; configuredAt: string }
>;
/** Takes no more documents; what it holds stays searchable. */
export type KnowledgeBaseArchived = Event<'KnowledgeBaseArchived', { id: KnowledgeBaseId; archivedAt: string }>;

/** Takes no more documents, and those that wait are held back, until it is resumed; what it holds stays searchable. */
export type KnowledgeBasePaused = Event<'KnowledgeBasePaused', { id: KnowledgeBaseId; pausedAt: string }>;
/** What was held back goes on. */
export type KnowledgeBaseResumed = Event<'KnowledgeBaseResumed', { id: KnowledgeBaseId; resumedAt: string }>;

export type KnowledgeBaseEvent = KnowledgeBaseCreated | KnowledgeBaseConfigured | KnowledgeBaseArchived | KnowledgeBasePaused | KnowledgeBaseResumed;
