import type { PermittedScope } from '../../access/access.ts';
import type { DeclaredFields } from '../../access/declared-fields.ts';
import type { ChunkId, DocumentId, KnowledgeBaseId } from '../../values/ids.ts';
import type { ChunkListId } from '../../values/recipe.ts';
import type { SynonymsInScope } from '../../values/synonyms.ts';
import type { TenantId } from '../../values/tenant.ts';
import type {
  DocumentQuery,
  DocumentVersionView,
  DocumentView,
  KnowledgeBaseView,
  NotRechunked,
  Page,
  RefusedChunks,
  ScopeCounts,
  ScopeView,
  StateCounts,
  VisibleChunk,
} from './catalog-views.ts';

/** What queries read of a catalog. What contains data of documents takes permitted scopes, and returns nothing else. */
export interface CatalogReader {
  knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]>;
  knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined>;
  /** Every knowledge base of these scopes with what it declares, without counting its documents. */
  declaredFields(scopes: readonly PermittedScope[]): Promise<readonly DeclaredFields[]>;
  /** The knowledge bases of these scopes that have synonyms, ordered by id. */
  synonyms(scopes: readonly PermittedScope[]): Promise<readonly SynonymsInScope[]>;
  documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<Page<DocumentView>>;
  /** Number of documents that match the query, over all pages. It reads every matching document. */
  countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number>;
  document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined>;
  /** The ids of documents that exist in these scopes, in no particular order. */
  existing(scopes: readonly PermittedScope[], ids: readonly DocumentId[]): Promise<ReadonlySet<DocumentId>>;
  versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]>;
  chunksOf(
    scopes: readonly PermittedScope[],
    id: DocumentId,
    page: Readonly<{ limit: number; cursor?: string }>,
  ): Promise<Page<VisibleChunk>>;
  /**
   * In no particular order. Omits ids that are not visible in these scopes. `list`: as the documents are in this chunk list; default, in
   * the list that each document shows.
   */
  chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<readonly VisibleChunk[]>;
  /** The chunks of a document with these indexes, the bounds included, in their order. `list`: as in `chunks`. */
  chunksBetween(
    scopes: readonly PermittedScope[],
    id: DocumentId,
    range: Readonly<{ from: number; to: number }>,
    list?: ChunkListId,
  ): Promise<readonly VisibleChunk[]>;
  /** The ids that `chunks` would return, without loading the chunks. */
  visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<ReadonlySet<ChunkId>>;
  /** Documents whose list has the chunks of another one, with the reason, ordered by id. `total`: their number. */
  notRechunked(
    scope: PermittedScope,
    list: ChunkListId,
    limit: number,
  ): Promise<Readonly<{ total: number; items: readonly NotRechunked[] }>>;
  /** Counts of what the caller may read. */
  countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts>;
  /** Counts of the tenant, or of the installation. */
  documentCounts(tenant?: TenantId): Promise<StateCounts>;
  chunkCount(tenant?: TenantId): Promise<number>;
  refusedChunks(tenant?: TenantId): Promise<RefusedChunks>;
  /** All scopes of the tenant, or of the installation, with their generations in order of creation. */
  scopes(tenant?: TenantId): Promise<readonly ScopeView[]>;
}
