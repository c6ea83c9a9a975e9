import type { ChunkId, DocumentId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { EmbeddingVersion, GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';

/** What a retrieval did; the query's own text is never in it. Times in milliseconds. */
export type RetrievalTrace = Readonly<{
  traceId: string;
  /** SHA-256 of the query's UTF-8 text, 64 hexadecimal digits. */
  queryHash: string;
  /** In UTF-16 code units. */
  queryLength: number;
  strategy: string;
  fusion: string;
  topK: number;
  minScore?: number;
  /** As the caller named it, a BCP 47 tag. */
  language?: string;
  filtered: boolean;
  requestedScopes: readonly VectorScope[];
  permittedScopes: readonly VectorScope[];
  generations: readonly Readonly<{ scope: VectorScope; generation: GenerationId; embeddingVersion: EmbeddingVersion }>[];
  /** Candidates that fusion met. */
  pool: number;
  topScore?: number;
  stages: readonly Readonly<{ stage: string; ms: number; candidates: number }>[];
  latencyMs: number;
  hits: readonly Readonly<{ chunkId: ChunkId; documentId: DocumentId; score: number }>[];
  /** Of the read models when it ran, a decimal string. */
  position: string;
  retrievedAt: string;
}>;

/** Recorded for every retrieval. */
export type KnowledgeRetrieved = Event<'KnowledgeRetrieved', RetrievalTrace>;
/** Recorded next to `KnowledgeRetrieved` when no result reached the floor, a relevance of 0 to 1. Until version 0.1 it was recorded instead of it. */
export type KnowledgeRetrievalMiss = Event<'KnowledgeRetrievalMiss', RetrievalTrace & { floor: number }>;

export type RetrievalEvent = KnowledgeRetrieved | KnowledgeRetrievalMiss;
