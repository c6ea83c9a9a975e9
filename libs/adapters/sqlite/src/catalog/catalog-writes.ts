import { CONTENT_OF_SCOPE } from './replace-scopes.ts';
import { unreachable } from '@palimpsest/knowledge/errors';
import { chunkListOf, generationNumber } from '@palimpsest/knowledge/values';
import type { KnowledgeBaseSettings } from '@palimpsest/knowledge/events';
import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import type { CatalogStatements } from './catalog-statements.ts';
import { ChunkLists } from './chunk-lists.ts';

type Change<Name extends CatalogChange['change']> = Extract<CatalogChange, { change: Name }>;

/** Applies changes to the tables; the caller holds the transaction. */
export class CatalogWrites {
  readonly #statements: CatalogStatements;
  readonly #lists: ChunkLists;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
    this.#lists = new ChunkLists(statements);
  }

  write(change: CatalogChange): void {
    switch (change.change) {
      case 'knowledge-base-created':
        return this.#run(
          "INSERT OR REPLACE INTO knowledge_bases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 'active', ?)",
          change.tenant,
          change.id,
          change.scope,
          change.settings.name,
          change.settings.description,
          JSON.stringify(change.settings.chunking),
          change.settings.language ?? null,
          change.settings.historyDays ?? null,
          jsonOf(change.settings.fields),
          jsonOf(change.settings.synonyms),
          change.at,
        );
      case 'knowledge-base-configured':
        return this.#run(
          'UPDATE knowledge_bases SET name = ?, description = ?, chunking = ?, language = ?, history_days = ?, fields = ?, synonyms = ? WHERE tenant = ? AND id = ?',
          change.settings.name,
          change.settings.description,
          JSON.stringify(change.settings.chunking),
          change.settings.language ?? null,
          change.settings.historyDays ?? null,
          jsonOf(change.settings.fields),
          jsonOf(change.settings.synonyms),
          change.tenant,
          change.id,
        );
      case 'knowledge-base-strategy':
        return this.#run(
          'UPDATE knowledge_bases SET strategy = ? WHERE tenant = ? AND id = ?',
          JSON.stringify(change.strategy),
          change.tenant,
          change.id,
        );
      case 'knowledge-base-archived':
        return this.#run("UPDATE knowledge_bases SET status = 'archived' WHERE tenant = ? AND id = ?", change.tenant, change.id);
      case 'knowledge-base-paused':
        return this.#run("UPDATE knowledge_bases SET status = 'paused' WHERE tenant = ? AND id = ?", change.tenant, change.id);
      case 'knowledge-base-resumed':
        return this.#run("UPDATE knowledge_bases SET status = 'active' WHERE tenant = ? AND id = ?", change.tenant, change.id);
      case 'knowledge-base-deleting':
        return this.#run("UPDATE knowledge_bases SET status = 'deleting' WHERE tenant = ? AND id = ?", change.tenant, change.id);
      case 'knowledge-base-deleted':
        return this.#run('DELETE FROM knowledge_bases WHERE tenant = ? AND id = ?', change.tenant, change.id);
      case 'document-submitted':
        return this.#submitted(change);
      case 'document-processing':
        return this.#progressed(change, 'processing');
      case 'document-deferred':
        return this.#deferred(change);
      case 'document-failed':
        return this.#failed(change);
      case 'document-indexed':
        return this.#lists.indexed(change);
      case 'document-deleted':
        return this.#deleted(change);
      case 'history-removed':
        return this.#historyRemoved(change);
      case 'chunk-refused':
        return this.#run(
          'INSERT OR IGNORE INTO refused_chunks VALUES (?, ?, ?, ?, ?)',
          change.tenant,
          change.scope,
          change.documentId,
          change.chunkId,
          change.embeddingVersion,
        );
      case 'chunk-embedded':
        return this.#run(
          'DELETE FROM refused_chunks WHERE tenant = ? AND document = ? AND chunk = ? AND model = ?',
          change.tenant,
          change.documentId,
          change.chunkId,
          change.embeddingVersion,
        );
      case 'generation':
        return this.#run(
          'INSERT OR REPLACE INTO generations VALUES (?, ?, ?, ?, ?, ?, ?)',
          change.scope.tenant,
          change.scope.scope,
          generationNumber(change.generation.id),
          change.generation.id,
          JSON.stringify(change.generation.recipe),
          chunkListOf(change.generation.recipe.chunking),
          change.generation.status,
        );
      case 'generation-built':
        return this.#run(
          'UPDATE generations SET status = ? WHERE tenant = ? AND scope = ? AND id = ?',
          change.companion ? 'companion' : 'ready',
          change.scope.tenant,
          change.scope.scope,
          change.id,
        );
      case 'generation-activated':
        this.#run(
          `UPDATE generations SET status = CASE WHEN id = ?3 THEN 'active' WHEN status = 'active' THEN 'standby' ELSE status END WHERE tenant = ?1 AND scope = ?2`,
          change.scope.tenant,
          change.scope.scope,
          change.id,
        );
        return this.#lists.show(change.scope);
      case 'generation-retired':
        this.#run(
          "UPDATE generations SET status = 'retired' WHERE tenant = ? AND scope = ? AND id = ?",
          change.scope.tenant,
          change.scope.scope,
          change.id,
        );
        return this.#lists.drop(change.scope);
      case 'scope-erased':
        for (const sql of CONTENT_OF_SCOPE) this.#run(sql, change.scope.tenant, change.scope.scope);
        return;
      default:
        return unreachable(change);
    }
  }

  #submitted(c: Change<'document-submitted'>): void {
    this.#run(
      `INSERT INTO documents (tenant, id, scope, knowledge_base, source, title, status, version, media_type, bytes, labels, origin, submitted_at)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, id) DO UPDATE SET status = 'pending', version = excluded.version, title = excluded.title, media_type = excluded.media_type,
         bytes = excluded.bytes, labels = excluded.labels, origin = excluded.origin, submitted_at = excluded.submitted_at, reason = NULL, detail = NULL, deferred_at = NULL`,
      c.tenant,
      c.documentId,
      c.scope,
      c.knowledgeBase,
      c.sourceId,
      c.title,
      c.version,
      c.mediaType,
      c.bytes,
      JSON.stringify(c.labels),
      c.origin,
      c.at,
    );
    this.#run(
      "INSERT OR REPLACE INTO versions (tenant, document, version, status, submitted_at, checksum, bytes) VALUES (?, ?, ?, 'pending', ?, ?, ?)",
      c.tenant,
      c.documentId,
      c.version,
      c.at,
      c.checksum,
      c.bytes,
    );
  }

  #progressed(c: Readonly<{ tenant: string; documentId: string; version: number }>, status: string): void {
    this.#run(
      'UPDATE documents SET status = ?, reason = NULL, detail = NULL, deferred_at = NULL WHERE tenant = ? AND id = ? AND version = ?',
      status,
      c.tenant,
      c.documentId,
      c.version,
    );
    this.#run(
      'UPDATE versions SET status = ? WHERE tenant = ? AND document = ? AND version = ?',
      status,
      c.tenant,
      c.documentId,
      c.version,
    );
  }

  #deferred(c: Change<'document-deferred'>): void {
    this.#progressed(c, 'pending');
    this.#run(
      'UPDATE documents SET reason = ?, detail = ?, deferred_at = ? WHERE tenant = ? AND id = ? AND version = ?',
      c.reason,
      c.detail,
      c.at,
      c.tenant,
      c.documentId,
      c.version,
    );
  }

  #failed(c: Change<'document-failed'>): void {
    this.#run(
      "UPDATE documents SET status = 'failed', reason = ?, detail = ?, deferred_at = NULL WHERE tenant = ? AND id = ? AND version = ?",
      c.reason,
      c.detail,
      c.tenant,
      c.documentId,
      c.version,
    );
    this.#run(
      "UPDATE versions SET status = 'failed', reason = ?, finished_at = ? WHERE tenant = ? AND document = ? AND version = ?",
      c.reason,
      c.at,
      c.tenant,
      c.documentId,
      c.version,
    );
  }

  #deleted(c: Change<'document-deleted'>): void {
    this.#run('DELETE FROM chunks WHERE tenant = ? AND document = ?', c.tenant, c.documentId);
    this.#run('DELETE FROM chunk_lists WHERE tenant = ? AND document = ?', c.tenant, c.documentId);
    this.#run('DELETE FROM refused_chunks WHERE tenant = ? AND document = ?', c.tenant, c.documentId);
    this.#run('DELETE FROM versions WHERE tenant = ? AND document = ?', c.tenant, c.documentId);
    this.#run('DELETE FROM documents WHERE tenant = ? AND id = ?', c.tenant, c.documentId);
  }

  /** A chunk that is not indexed now may only return with a refusal of its own: the log has lost the earlier one. */
  #historyRemoved({ tenant, documentId, version }: Extract<CatalogChange, Readonly<{ change: 'history-removed' }>>): void {
    this.#run('DELETE FROM versions WHERE tenant = ? AND document = ? AND version < ?', tenant, documentId, version);
    this.#run(
      'DELETE FROM refused_chunks WHERE tenant = ? AND document = ? AND chunk NOT IN (SELECT id FROM chunks WHERE tenant = ? AND document = ?)',
      ...[tenant, documentId, tenant, documentId],
    );
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    this.#statements.run(sql, ...values);
  }
}

const jsonOf = (value: KnowledgeBaseSettings['fields' | 'synonyms']): string | null => (value === undefined ? null : JSON.stringify(value));
