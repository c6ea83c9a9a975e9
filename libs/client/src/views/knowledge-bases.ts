import type { Position } from './documents.ts';

/** How texts are cut; the server names the fields that it does not accept. */
export type Chunking = Readonly<Record<string, unknown>>;

export type KnowledgeBaseView = Readonly<{
  id: string;
  name: string;
  description: string;
  /** `platform`, `deployment`, `team:<id>` or `user:<id>`. */
  scope: string;
  /** `paused` and `archived` take no documents; what they hold is searched. The documents of a paused one that wait are held back. */
  status: 'active' | 'paused' | 'archived';
  chunking: Chunking;
  /** A BCP 47 tag; texts whose own language is unknown are read in it. */
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
  /** `null` and `und` declare none. */
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
