import type { CatalogContents } from './catalog-contents.ts';
import type { CatalogReader } from './catalog-reader.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { CatalogWork } from './catalog-work.ts';

/**
 * Read model of knowledge bases, documents, chunks and scopes, for lists, search results and workers. It can be rebuilt from the log.
 * Promises, all checked by `describeCatalog`:
 * - `apply` makes all changes and advances `position` in one transaction; a call with `upTo` at or before `position` is ignored;
 * - `replaceScopes` changes all rows of the given scopes in one transaction, and no other row;
 * - `replaceRows` changes the given rows in one transaction, and no row of another document, knowledge base or scope;
 * - `replaceItems` changes all rows of the given documents and knowledge bases in one transaction, and no other row;
 * - reads for callers accept only permitted scopes, and never return data of another scope or tenant;
 * - the chunks of a document change atomically from one version to the next; a chunk is visible only as part of the indexed version.
 */
export interface Catalog extends CatalogReader, CatalogStore, CatalogWork, CatalogContents {
  /** Creates an empty catalog of the same kind that `close` deletes. */
  createScratch(): Promise<Catalog>;
  close(): Promise<void>;
}
