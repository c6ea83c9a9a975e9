import { DOCUMENT_STATES } from '@palimpsest/knowledge/read-models';
import { knowledgeBaseId } from '@palimpsest/knowledge/values';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { TenantUse } from '@palimpsest/knowledge/limits';
import type { LanguageCount, RefusedChunks, ScopeCounts, StateCounts } from '@palimpsest/knowledge/read-models';
import type { DocumentId, TenantId, TenantScope } from '@palimpsest/knowledge/values';
import type { Row } from './catalog-rows.ts';
import type { CatalogStatements } from './catalog-statements.ts';
import { given, ofTenant } from './of-tenant.ts';
import { inScopes } from './permitted-rows.ts';
import { WITHOUT_VECTOR } from './without-vector.ts';

/** Waiting documents in paused knowledge bases. Fast: few knowledge bases are paused, and a partial index finds the waiting documents. */
const PAUSED = `SELECT count(*) AS n FROM knowledge_bases k JOIN documents d ON d.tenant = k.tenant AND d.knowledge_base = k.id
  WHERE k.status = 'paused' AND d.status IN ('pending', 'processing')`;
/** Documents that wait for a model, in knowledge bases that are not paused. */
const DEFERRED = `SELECT count(*) AS n FROM documents d WHERE d.deferred_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM knowledge_bases k WHERE k.tenant = d.tenant AND k.id = d.knowledge_base AND k.status = 'paused')`;
const HELD = [PAUSED, DEFERRED] as const;

/** Counts documents, chunks and usage. */
export class CatalogFigures {
  readonly #statements: CatalogStatements;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
  }

  async documentCounts(tenant?: TenantId): Promise<StateCounts> {
    const rows = this.#statements.all(`SELECT status, count(*) AS n FROM documents ${ofTenant(tenant)} GROUP BY status`, ...given(tenant));
    const held = HELD.map((count) => this.#statements.get(`${count} ${tenant === undefined ? '' : 'AND d.tenant = ?'}`, ...given(tenant)));
    return stateCounts(rows, held);
  }

  async countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts> {
    const rows = inScopes('d', scopes, ['d.labels'], (where, values) =>
      this.#statements.all(
        `SELECT d.status, count(*) AS n, sum(d.chunks) AS chunks FROM documents d WHERE ${where} GROUP BY d.status`,
        ...values,
      ),
    );
    const held = HELD.flatMap((count) =>
      inScopes('d', scopes, ['d.labels'], (where, values) => this.#statements.all(`${count} AND ${where}`, ...values)),
    );
    return { documents: stateCounts(rows, held), chunks: rows.reduce((sum, { chunks }) => sum + Number(chunks), 0) };
  }

  async chunkCount(tenant?: TenantId): Promise<number> {
    return Number(this.#statements.get(`SELECT sum(chunks) AS n FROM documents ${ofTenant(tenant)}`, ...given(tenant))?.['n'] ?? 0);
  }

  async refusedChunks(tenant?: TenantId): Promise<RefusedChunks> {
    const failed = this.#statements.get(
      `SELECT sum(failed_chunks) AS n FROM documents WHERE failed_chunks > 0 ${tenant === undefined ? '' : 'AND tenant = ?'}`,
      ...given(tenant),
    );
    const refused = this.#statements.get(
      `SELECT count(*) AS n FROM ${WITHOUT_VECTOR} ${tenant === undefined ? '' : 'WHERE r.tenant = ?'}`,
      ...given(tenant),
    );
    return { failedChunks: Number(failed?.['n'] ?? 0), withoutVector: Number(refused?.['n'] ?? 0) };
  }

  async languages({ tenant, scope }: TenantScope): Promise<readonly LanguageCount[]> {
    const counted =
      'SELECT knowledge_base, language, count(*) AS documents, sum(chunks) AS n FROM documents WHERE tenant = ? AND scope = ? AND indexed_version IS NOT NULL AND chunks > 0';
    return this.#statements.all(`${counted} GROUP BY knowledge_base, language`, tenant, scope).map((row) => ({
      knowledgeBase: knowledgeBaseId(row['knowledge_base']),
      language: String(row['language']),
      documents: Number(row['documents']),
      chunks: Number(row['n']),
    }));
  }

  async use(tenant: TenantId): Promise<TenantUse> {
    // Triggers keep these counts up to date within each transaction.
    const {
      documents = 0,
      chunks = 0,
      bytes = 0,
    } = this.#statements.get('SELECT documents, chunks, bytes FROM tenant_use WHERE tenant = ?', tenant) ?? {};
    const bases = this.#statements.get("SELECT count(*) AS n FROM knowledge_bases WHERE tenant = ? AND status <> 'archived'", tenant);
    return { documents: Number(documents), chunks: Number(chunks), bytes: Number(bytes), knowledgeBases: Number(bases?.['n'] ?? 0) };
  }

  async documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined> {
    const row = this.#statements.get('SELECT bytes, chunks FROM documents WHERE tenant = ? AND id = ?', tenant, id);
    return row && { bytes: Number(row['bytes']), chunks: Number(row['chunks']) };
  }
}

const stateCounts = (rows: readonly Row[], held: readonly (Row | undefined)[]): StateCounts => {
  const counted = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  const counts = DOCUMENT_STATES.map((state) => [state, counted.get(state) ?? 0] as const);
  return {
    ...Object.fromEntries(counts),
    total: counts.reduce((sum, [, n]) => sum + n, 0),
    held: held.reduce((sum, row) => sum + Number(row?.['n'] ?? 0), 0),
  } as StateCounts;
};
