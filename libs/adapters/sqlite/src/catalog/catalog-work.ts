import type { Generation } from '@palimpsest/knowledge/deciders';
import type { DeferredDocument, LanguageOfBase, ScopeView, WaitingDocument } from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId, KnowledgeBaseId, Digest, TenantId, TenantScope } from '@palimpsest/knowledge/values';
import { generation } from './catalog-rows.ts';
import type { CatalogStatements } from './catalog-statements.ts';
import { given, ofTenant } from './of-tenant.ts';

/** Reads for background work, by scope. */
export class CatalogWork {
  readonly #statements: CatalogStatements;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
  }

  async scopes(tenant?: TenantId): Promise<readonly ScopeView[]> {
    const views = new Map<string, { scope: TenantScope; generations: Generation[] }>();
    for (const row of this.#statements.all(
      `SELECT * FROM generations ${ofTenant(tenant)} ORDER BY tenant, scope, number`,
      ...given(tenant),
    )) {
      const key = `${String(row['tenant'])}/${String(row['scope'])}`;
      const view = views.get(key) ?? { scope: { tenant: row['tenant'], scope: row['scope'] } as unknown as TenantScope, generations: [] };
      view.generations.push(generation(row));
      views.set(key, view);
    }
    return [...views.values()];
  }

  async indexedDocuments(
    { tenant, scope }: TenantScope,
    limit: number,
    after = '' as DocumentId,
    of?: LanguageOfBase,
  ): Promise<readonly DocumentId[]> {
    const [condition, values] = of === undefined ? ['', []] : ['AND knowledge_base = ? AND language = ?', [of.knowledgeBase, of.language]];
    return this.#statements
      .all(
        `SELECT id FROM documents WHERE tenant = ? AND scope = ? AND indexed_version IS NOT NULL AND id > ? ${condition} ORDER BY id LIMIT ?`,
        tenant,
        scope,
        after,
        ...values,
        limit,
      )
      .map(({ id }) => id as DocumentId);
  }

  async waitingDocuments(
    tenant: TenantId,
    id: KnowledgeBaseId,
    limit: number,
    after: Pick<WaitingDocument, 'documentId' | 'submittedAt'> | undefined = undefined,
  ): Promise<readonly WaitingDocument[]> {
    return this.#statements
      .all(
        `SELECT id, scope, version, submitted_at FROM documents WHERE tenant = ? AND knowledge_base = ? AND status IN ('pending', 'processing')
         AND (submitted_at, id) > (?, ?) ORDER BY submitted_at, id LIMIT ?`,
        tenant,
        id,
        after?.submittedAt ?? '',
        after?.documentId ?? '',
        limit,
      )
      .map(
        (row) =>
          ({ documentId: row['id'], scope: row['scope'], version: row['version'], submittedAt: row['submitted_at'] }) as WaitingDocument,
      );
  }

  async deletingKnowledgeBases(): Promise<readonly Readonly<{ tenant: TenantId; id: KnowledgeBaseId }>[]> {
    return this.#statements
      .all("SELECT tenant, id FROM knowledge_bases WHERE status = 'deleting'")
      .map(({ tenant, id }) => ({ tenant: tenant as TenantId, id: id as KnowledgeBaseId }));
  }

  async documentsIn(tenant: TenantId, id: KnowledgeBaseId, limit: number, after = '' as DocumentId): Promise<readonly DocumentId[]> {
    return this.#statements
      .all('SELECT id FROM documents WHERE tenant = ? AND knowledge_base = ? AND id > ? ORDER BY id LIMIT ?', tenant, id, after, limit)
      .map((row) => row['id'] as DocumentId);
  }

  async deferredDocuments({ tenant, scope }: TenantScope, limit: number): Promise<readonly DeferredDocument[]> {
    return this.#statements
      .all(
        `SELECT id, version, deferred_at FROM documents d WHERE deferred_at IS NOT NULL AND tenant = ? AND scope = ?
         AND NOT EXISTS (SELECT 1 FROM knowledge_bases k WHERE k.tenant = d.tenant AND k.id = d.knowledge_base AND k.status = 'paused') ORDER BY submitted_at, id LIMIT ?`,
        tenant,
        scope,
        limit,
      )
      .map((row) => ({ documentId: row['id'], version: row['version'], deferredAt: row['deferred_at'] }) as DeferredDocument);
  }

  async listedVersions(
    { tenant, scope }: TenantScope,
    list: ChunkListId,
    ids: readonly DocumentId[],
  ): Promise<ReadonlyMap<DocumentId, number>> {
    const rows = this.#statements.all(
      'SELECT document, version FROM chunk_lists WHERE tenant = ? AND document IN (SELECT value FROM json_each(?)) AND list = ? AND scope = ?',
      tenant,
      JSON.stringify(ids),
      list,
      scope,
    );
    return new Map(rows.map(({ document, version }) => [document as DocumentId, Number(version)]));
  }

  async documentsOf({ tenant, scope }: TenantScope, list: ChunkListId, ids: readonly ChunkId[]): Promise<ReadonlyMap<ChunkId, DocumentId>> {
    const rows = this.#statements.all(
      'SELECT id, document FROM chunks WHERE tenant = ? AND id IN (SELECT value FROM json_each(?)) AND list = ? AND scope = ?',
      tenant,
      JSON.stringify(ids),
      list,
      scope,
    );
    return new Map(rows.map(({ id, document }) => [id as ChunkId, document as DocumentId]));
  }

  async *contentHashes(
    { tenant, scope }: TenantScope,
    list?: ChunkListId,
  ): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Digest }>> {
    // `CROSS JOIN`: in the order of the chunks, without sorting them.
    const [shown, values] =
      list === undefined ? ['CROSS JOIN documents d ON d.tenant = c.tenant AND d.id = c.document AND d.list = c.list', []] : ['', [list]];
    for (let after = ''; ;) {
      const rows = this.#statements.all(
        `SELECT c.id, c.content_hash FROM chunks c ${shown} WHERE c.tenant = ? AND c.scope = ? AND c.id > ? ${list === undefined ? '' : 'AND c.list = ?'}
         ORDER BY c.id LIMIT 1000`,
        tenant,
        scope,
        after,
        ...values,
      );
      for (const row of rows) yield { chunkId: row['id'] as ChunkId, contentHash: row['content_hash'] as Digest };
      const last = rows.at(-1);
      if (!last) return;
      after = String(last['id']);
    }
  }
}
