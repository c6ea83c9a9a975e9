import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import type { ChunkListId, TenantScope } from '@palimpsest/knowledge/values';
import type { CatalogStatements } from './catalog-statements.ts';

type Indexed = Extract<CatalogChange, { change: 'document-indexed' }>;

/**
 * The chunk lists of documents. A document can have several; its row shows the one that searches of the scope see, and is exchanged with
 * the active generation. The caller holds the transaction.
 */
export class ChunkLists {
  readonly #statements: CatalogStatements;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
  }

  indexed(c: Indexed): void {
    this.#run(
      'INSERT OR REPLACE INTO chunk_lists VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      c.tenant,
      c.documentId,
      c.chunkList,
      c.scope,
      c.version,
      c.title,
      c.mediaType,
      c.language,
      c.chunks.length,
      c.failedChunks,
      JSON.stringify(c.warnings),
      JSON.stringify(c.metadata),
      JSON.stringify(c.labels),
      c.origin,
      c.notRechunked ?? null,
      c.at,
    );
    if (this.#serving(c) === c.chunkList) this.#show(c);
    this.#replaceChunks(c);
  }

  /** After another generation became active: documents show its list. A document that lacks it follows when the list is complete. */
  show({ tenant, scope }: TenantScope): void {
    const list = this.#serving({ tenant, scope });
    if (list === undefined) return;
    this.#run(
      `UPDATE versions SET chunks = l.chunks FROM documents d JOIN chunk_lists l ON l.tenant = d.tenant AND l.document = d.id
         WHERE d.tenant = ?1 AND d.scope = ?2 AND d.list IS NOT ?3 AND l.list = ?3
         AND versions.tenant = d.tenant AND versions.document = d.id AND versions.version = l.version`,
      tenant,
      scope,
      list,
    );
    // Title and media type of a version that is in progress or failed are those of its submission.
    this.#run(
      `UPDATE documents SET list = l.list, indexed_version = l.version, language = l.language, chunks = l.chunks, failed_chunks = l.failed_chunks,
         warnings = l.warnings, metadata = l.metadata, indexed_title = l.title, indexed_labels = l.labels, indexed_origin = l.origin,
         indexed_at = l.indexed_at, title = CASE WHEN status = 'indexed' THEN l.title ELSE documents.title END,
         media_type = CASE WHEN status = 'indexed' THEN l.media_type ELSE documents.media_type END
         FROM chunk_lists l WHERE documents.tenant = ?1 AND documents.scope = ?2 AND documents.list IS NOT ?3
         AND l.tenant = documents.tenant AND l.document = documents.id AND l.list = ?3`,
      tenant,
      scope,
      list,
    );
  }

  /** After a generation was retired: deletes the lists that no live generation has. */
  drop({ tenant, scope }: TenantScope): void {
    const live = "SELECT list FROM generations WHERE tenant = ?1 AND scope = ?2 AND status <> 'retired'";
    const found = this.#statements.all(
      `SELECT DISTINCT list FROM chunk_lists WHERE tenant = ?1 AND scope = ?2 AND list NOT IN (${live})`,
      tenant,
      scope,
    );
    for (const { list } of found) {
      const of = [tenant, scope, String(list)] as const;
      this.#run(
        `DELETE FROM chunks WHERE tenant = ?1 AND list = ?3
           AND document IN (SELECT document FROM chunk_lists WHERE tenant = ?1 AND scope = ?2 AND list = ?3)`,
        ...of,
      );
      this.#run('DELETE FROM chunk_lists WHERE tenant = ?1 AND scope = ?2 AND list = ?3', ...of);
      this.#run(
        'UPDATE documents SET list = NULL, indexed_version = NULL, indexed_at = NULL, chunks = 0 WHERE tenant = ?1 AND scope = ?2 AND list = ?3',
        ...of,
      );
    }
  }

  /** The list that searches of the scope see. While no generation is active, it is that of each document. */
  #serving({ tenant, scope, chunkList }: TenantScope & Readonly<{ chunkList?: ChunkListId }>): string | undefined {
    const active = this.#statements.get("SELECT list FROM generations WHERE tenant = ? AND scope = ? AND status = 'active'", tenant, scope);
    return active === undefined ? chunkList : String(active['list']);
  }

  /** An earlier version than the latest one says nothing about the state of the latest. */
  #show(c: Indexed): void {
    this.#run(
      `UPDATE documents SET list = ?, indexed_version = ?, language = ?, chunks = ?, failed_chunks = ?, warnings = ?, metadata = ?,
         indexed_title = ?, indexed_labels = ?, indexed_origin = ?, indexed_at = ? WHERE tenant = ? AND id = ?`,
      c.chunkList,
      c.version,
      c.language,
      c.chunks.length,
      c.failedChunks,
      JSON.stringify(c.warnings),
      JSON.stringify(c.metadata),
      c.title,
      JSON.stringify(c.labels),
      c.origin,
      c.at,
      c.tenant,
      c.documentId,
    );
    this.#run(
      `UPDATE documents SET status = 'indexed', title = ?, media_type = ?, reason = NULL, detail = NULL, deferred_at = NULL
         WHERE tenant = ? AND id = ? AND version <= ?`,
      c.title,
      c.mediaType,
      c.tenant,
      c.documentId,
      c.version,
    );
    this.#run(
      "UPDATE versions SET status = 'indexed', finished_at = ?, chunks = ? WHERE tenant = ? AND document = ? AND version = ?",
      c.at,
      c.chunks.length,
      c.tenant,
      c.documentId,
      c.version,
    );
  }

  #replaceChunks(c: Indexed): void {
    const stays = new Set<string>(c.chunks.map(({ chunkId }) => chunkId));
    const known = 'SELECT id FROM chunks WHERE tenant = ? AND document = ? AND list = ?';
    for (const { id } of this.#statements.all(known, c.tenant, c.documentId, c.chunkList))
      if (!stays.has(String(id)))
        this.#run('DELETE FROM chunks WHERE tenant = ? AND id = ? AND list = ?', c.tenant, String(id), c.chunkList);
    const contents = new Map(c.contents.map((content) => [content.chunkId, content]));
    c.chunks.forEach(({ chunkId, start, end, fromLine, toLine, page }, index) => {
      const content = contents.get(chunkId);
      if (content)
        this.#run(
          'INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          c.tenant,
          chunkId,
          c.scope,
          c.documentId,
          c.chunkList,
          index,
          start,
          end,
          fromLine,
          toLine,
          page ?? null,
          content.contentHash,
          content.language,
          content.symbol ?? null,
          content.sealedText,
        );
      else
        this.#run(
          'UPDATE chunks SET idx = ?, start = ?, "end" = ?, from_line = ?, to_line = ?, page = ? WHERE tenant = ? AND id = ? AND list = ?',
          index,
          start,
          end,
          fromLine,
          toLine,
          page ?? null,
          c.tenant,
          chunkId,
          c.chunkList,
        );
    });
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    this.#statements.run(sql, ...values);
  }
}
