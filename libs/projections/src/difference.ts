import type { ChunkId } from '@palimpsest/knowledge';

/** About a chunk; or about another `row` of the catalogue, by table and key, or its structure. */
export type Difference = Readonly<{
  store: 'vectors' | 'lexical' | 'catalog'; kind: 'missing' | 'extra' | 'different'; chunkId?: ChunkId; row?: string; tenant: string; scope: string; generation?: string;
}>;
