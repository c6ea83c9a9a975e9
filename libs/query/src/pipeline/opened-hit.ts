import type { ChunkText } from '@palimpsest/knowledge/events';
import type { VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { RankedHit } from './ranked-hit.ts';

/** A hit with the data of its chunk and its unsealed text. */
export type OpenedHit = RankedHit & Readonly<{ chunk: VisibleChunk; text: ChunkText }>;
