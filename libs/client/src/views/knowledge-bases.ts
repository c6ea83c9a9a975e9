import type { Position } from './documents.ts';

/** How documents are split into chunks. The server reports the fields that it does not accept. */
export type Chunking = Readonly<Record<string, unknown>>;

export type KnowledgeBaseView = Readonly<{
  id: string;
  name: string;
  description: string;
  /** `platform`, `deployment`, `team:<id>` or `user:<id>`. */
  scope: string;
  /**
   * `paused` and `archived` knowledge bases accept no documents but stay searchable. A paused one holds back the documents that wait in the
   * queue.
   */
  status: 'active' | 'paused' | 'archived';
  chunking: Chunking;
  /** A BCP 47 tag, used for texts whose own language is unknown. */
  language?: string;
  documents: number;
  createdAt: string;
}>;

export type NewKnowledgeBase = Readonly<{
  id: string;
  name?: string | undefined;
  description?: string | undefined;
  /** Default `deployment`. */
  scope?: string | undefined;
  chunking?: Chunking | undefined;
  language?: string | null | undefined;
}>;

export type KnowledgeBaseChange = Readonly<{
  name?: string | undefined;
  description?: string | undefined;
  chunking?: Chunking | undefined;
  /** `null` and `und` declare no language. */
  language?: string | null | undefined;
}>;

export type KnowledgeBaseWritten = Readonly<{
  id: string;
  scope: string;
  name: string;
  description: string;
  chunking: Chunking;
  language?: string;
  status: 'active' | 'paused' | 'archived';
  position: Position;
}>;

export type KnowledgeBaseList = Readonly<{ knowledgeBases: readonly KnowledgeBaseView[] }>;
