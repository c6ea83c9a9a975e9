import type { DeclaredFields } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { CatalogReader, DocumentVersionView, DocumentView, KnowledgeBaseView, VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { SynonymsInScope } from '@palimpsest/knowledge/texts';

/** A row as SQLite returns it. Only validated values are written, so rows are not validated again. */
export type Row = Readonly<Record<string, unknown>>;

const optional = <Key extends string, T>(key: Key, value: T | null | undefined): { [K in Key]?: T } =>
  (value === null || value === undefined ? {} : { [key]: value }) as { [K in Key]?: T };

const json = (text: unknown): unknown => JSON.parse(String(text));

const optionalJson = <Key extends string>(key: Key, text: unknown) => optional(key, text === null ? undefined : json(text));

export const knowledgeBaseView = (row: Row): KnowledgeBaseView =>
  ({
    id: row['id'],
    tenant: row['tenant'],
    scope: row['scope'],
    name: row['name'],
    description: row['description'],
    chunking: json(row['chunking']),
    status: row['status'],
    documents: row['documents'],
    createdAt: row['created_at'],
    ...optional('language', row['language']),
    ...optional('historyDays', row['history_days']),
    ...declaredIn(row),
    ...optionalJson('synonyms', row['synonyms']),
  }) as KnowledgeBaseView;

const declaredIn = (row: Row) => ({ ...optionalJson('fields', row['fields']), ...optionalJson('strategy', row['strategy']) });

export const declaredFields = (row: Row): DeclaredFields => ({ id: row['id'], ...declaredIn(row) }) as DeclaredFields;

export const synonymsInScope = (row: Row): SynonymsInScope =>
  ({ id: row['id'], scope: row['scope'], synonyms: json(row['synonyms']) }) as SynonymsInScope;

export const documentView = (row: Row): DocumentView =>
  ({
    documentId: row['id'],
    tenant: row['tenant'],
    scope: row['scope'],
    knowledgeBase: row['knowledge_base'],
    sourceId: row['source'],
    title: row['title'],
    status: row['status'],
    version: row['version'],
    mediaType: row['media_type'],
    bytes: row['bytes'],
    chunks: row['chunks'],
    failedChunks: row['failed_chunks'],
    withoutVector: row['without_vector'],
    language: row['language'],
    labels: json(row['labels']),
    origin: row['origin'],
    warnings: json(row['warnings']),
    submittedAt: row['submitted_at'],
    ...optional('indexedVersion', row['indexed_version']),
    ...optional('reason', row['reason']),
    ...optional('detail', row['detail']),
    ...optional('indexedAt', row['indexed_at']),
  }) as DocumentView;

export const versionView = (row: Row): DocumentVersionView =>
  ({
    version: row['version'],
    status: row['status'],
    submittedAt: row['submitted_at'],
    checksum: row['checksum'],
    bytes: row['bytes'],
    ...optional('finishedAt', row['finished_at']),
    ...optional('chunks', row['chunks']),
    ...optional('reason', row['reason']),
  }) as DocumentVersionView;

export const visibleChunk = (row: Row): VisibleChunk =>
  ({
    chunkId: row['id'],
    documentId: row['document'],
    index: row['idx'],
    of: row['of'],
    start: row['start'],
    end: row['end'],
    fromLine: row['from_line'],
    toLine: row['to_line'],
    contentHash: row['content_hash'],
    sealedText: row['sealed_text'],
    language: row['language'],
    scope: row['scope'],
    knowledgeBase: row['knowledge_base'],
    sourceId: row['source'],
    title: row['title'],
    labels: json(row['labels']),
    origin: row['origin'],
    version: row['version'],
    indexedAt: row['indexed_at'],
    ...optional('page', row['page']),
    ...optional('symbol', row['symbol']),
  }) as VisibleChunk;

export const notRechunkedView = (row: Row) =>
  ({ documentId: row['document'], scope: row['scope'], sourceId: row['source'], reason: row['not_rechunked'] }) as Awaited<
    ReturnType<CatalogReader['notRechunked']>
  >['items'][number];

export const generation = (row: Row): Generation =>
  withVersion({ id: row['id'], recipe: json(row['recipe']), status: row['status'] } as unknown as Omit<Generation, 'embeddingVersion'>);

const withVersion = (of: Omit<Generation, 'embeddingVersion'>): Generation => ({ ...of, embeddingVersion: of.recipe.embedding.version });
