import type { ChunkId } from '@palimpsest/knowledge/values';

/** Concerns a chunk, another `row` of the catalog (table and key), or the structure of the catalog. */
export type Difference = Readonly<{
  store: 'vectors' | 'lexical' | 'catalog';
  kind: 'missing' | 'extra' | 'different';
  chunkId?: ChunkId;
  row?: string;
  tenant: string;
  scope: string;
  generation?: string;
}>;

/** The same for a difference that is found again. */
export const keyOf = ({ store, chunkId, row, tenant, scope, generation }: Difference): string =>
  JSON.stringify([store, tenant, scope, generation, chunkId, row]);
