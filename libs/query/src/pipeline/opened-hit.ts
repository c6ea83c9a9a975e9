import type { ChunkText, VisibleChunk } from '@palimpsest/knowledge';
import type { RankedHit } from './ranked-hit.ts';

/** A hit with the data of its chunk and its unsealed text. */
export type OpenedHit = RankedHit & Readonly<{ chunk: VisibleChunk; text: ChunkText }>;
