import type { ChunkId, Digest, DocumentId } from '../../values/ids.ts';
import type { ChunkListId } from '../../values/recipe.ts';
import type { TenantScope } from '../../values/scope.ts';
import type { TenantId } from '../../values/tenant.ts';

/**
 * One row of a catalog, identified by table, tenant, scope and key (for a chunk: its id). Table names depend on the implementation.
 * `digest` covers all columns except texts, which are sealed.
 */
export type CatalogRow = Readonly<{ table: string; tenant: TenantId; scope: string; key: string; digest: string }>;

/** The name of a row. */
export type CatalogRowName = Omit<CatalogRow, 'digest'>;

/** What `verify` compares. */
export interface CatalogContents {
  /** Visible chunks of a scope with their content hashes, ordered by chunk id; those of this list, if one is given. */
  contentHashes(scope: TenantScope, list?: ChunkListId): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Digest }>>;
  /** The documents whose list has these chunks. Omits chunks that no document has there. */
  documentsOf(scope: TenantScope, list: ChunkListId, ids: readonly ChunkId[]): Promise<ReadonlyMap<ChunkId, DocumentId>>;
  /**
   * All rows. The same history gives the same rows. Structural damage is returned as rows that no history can produce.
   */
  rows(): AsyncIterable<CatalogRow>;
}
