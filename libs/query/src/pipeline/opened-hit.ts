import type { ChunkText } from '@palimpsest/knowledge/events';
import type { VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';
import type { RankedHit } from './ranked-hit.ts';

/** Passages that a hit stands for: `count` of them, and the best ones. The caller may read all of them. */
export type Similar = Readonly<{ count: number; passages: readonly Readonly<{ chunkId: ChunkId; documentId: DocumentId }>[] }>;

/** A passage next to a hit. `text`: without what the hit and the passages between them have. */
export type Around = Readonly<{ chunkId: ChunkId; index: number; text: string; contextPrefix: string }>;

/** A hit with the data of its chunk and its unsealed text. */
export type OpenedHit = RankedHit & Readonly<{ chunk: VisibleChunk; text: ChunkText; similar?: Similar; around?: readonly Around[] }>;
