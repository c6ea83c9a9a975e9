import type { DocumentId, KnowledgeBaseId } from '../../values/ids.ts';
import type { Position } from '../../values/position.ts';
import type { TenantScope } from '../../values/scope.ts';
import type { TenantId } from '../../values/tenant.ts';
import type { CatalogChange } from './catalog-changes.ts';
import type { CatalogRowName } from './catalog-contents.ts';

/** Documents and knowledge bases of a tenant. */
type CatalogItems = Readonly<{ tenant: TenantId; documents: readonly DocumentId[]; knowledgeBases: readonly KnowledgeBaseId[] }>;

/** What a projection writes. */
export interface CatalogStore {
  position(): Promise<Position>;
  apply(changes: readonly CatalogChange[], upTo: Position): Promise<void>;
  /**
   * The same rows of these scopes as in another catalog of the same kind, which is no scratch catalog. `except`: documents without which
   * they are copied. The position stays.
   */
  replaceScopes(scopes: readonly TenantScope[], from: CatalogStore, except?: readonly DocumentId[]): Promise<void>;
  /** The rows of these names as in another catalog of the same kind: copied from there, or deleted. Other rows of the same document may be copied, too. The position stays. */
  replaceRows(names: readonly CatalogRowName[], from: CatalogStore): Promise<void>;
  /**
   * Everything of these documents and knowledge bases as in another catalog of the same kind: copied from there, or deleted. The position
   * stays.
   */
  replaceItems(items: CatalogItems, from: CatalogStore): Promise<void>;
  /** After it resolves, the files contain no data that was deleted or overwritten before the call. */
  purge?(): Promise<void>;
  /** Deletes all data and sets the position to START. */
  reset(): Promise<void>;
}
