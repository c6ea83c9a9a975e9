import { unreachable } from '@palimpsest/knowledge/errors';
import { chunkListOf, scopeKey } from '@palimpsest/knowledge/values';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type {
  CatalogChange,
  CatalogChunk,
  CatalogRowName,
  CatalogStore,
  DocumentVersionView,
  DocumentView,
  KnowledgeBaseView,
  VisibleChunk,
} from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId, TenantId, TenantScope, VectorScope } from '@palimpsest/knowledge/values';

export type CatalogItems = Parameters<CatalogStore['replaceItems']>[0];

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A chunk list of a document: its chunks, in order, and the data of its indexed version. */
export type ListRow = Readonly<{
  list: ChunkListId;
  chunkRows: readonly Omit<CatalogChunk, 'documentId' | 'index' | 'of'>[];
  indexed: Pick<VisibleChunk, 'title' | 'labels' | 'origin' | 'version' | 'indexedAt'>;
  view: Pick<DocumentView, 'title' | 'mediaType' | 'language' | 'failedChunks' | 'warnings'>;
  notRechunked?: string;
}>;

/** A document with its chunk lists. `list`: the one that it shows. */
export type DocumentRow = Mutable<Omit<DocumentView, 'withoutVector'>> & {
  versions: Mutable<DocumentVersionView>[];
  lists: readonly ListRow[];
  list?: ChunkListId;
  deferredAt?: string;
};

/** The list that a document shows, or another one. */
export const listOf = ({ lists, list }: DocumentRow, wanted = list): ListRow | undefined => lists.find((one) => one.list === wanted);

export type CatalogTables = {
  knowledgeBases: Mutable<KnowledgeBaseView>[];
  documents: DocumentRow[];
  scopes: { scope: TenantScope; generations: Generation[] }[];
  refused: RefusedChunk[];
};

export const emptyTables = (): CatalogTables => ({ knowledgeBases: [], documents: [], scopes: [], refused: [] });

/** A copy that `applyChange` can change: it changes rows and versions, and replaces everything below them. */
export const copyOf = ({ knowledgeBases, documents, scopes, refused }: CatalogTables): CatalogTables => ({
  knowledgeBases: knowledgeBases.map((base) => ({ ...base })),
  documents: documents.map((document) => ({ ...document, versions: document.versions.map((version) => ({ ...version })) })),
  scopes: scopes.map((scope) => ({ ...scope })),
  refused: [...refused],
});

/** Of the tables whose rows are parts of a document: its id in the key of a row. Chunks are found by their ids. */
const documentIn = ({ table, key }: CatalogRowName): string | undefined =>
  table === 'documents' || table === 'chunk lists' ? key.split('/')[0] : undefined;

/** The tables with these rows from other ones; of documents, with everything that belongs to them. */
export const withRowsOf = (tables: CatalogTables, names: readonly CatalogRowName[], from: CatalogTables): CatalogTables => {
  const taken = copyOf(from);
  const isNamed = (table: string, tenant: string, key: string): boolean =>
    names.some((name) => name.table === table && name.tenant === tenant && name.key === key);
  const isOfDocument = ({ tenant, documentId, lists }: DocumentRow): boolean =>
    names.some(
      (name) =>
        name.tenant === tenant &&
        (documentIn(name) === documentId ||
          (name.table === 'chunks' && lists.some(({ chunkRows }) => chunkRows.some(({ chunkId }) => name.key.endsWith(chunkId))))),
    );
  const documents = [...tables.documents, ...taken.documents]
    .filter(isOfDocument)
    .map(({ tenant, documentId }) => `${tenant}/${documentId}`);
  const refusedKey = ({ tenant: _tenant, scope: _scope, ...refused }: RefusedChunk): string => JSON.stringify(refused);
  const scopes = new Set(names.filter(({ table }) => table === 'generations').map(({ tenant, scope }) => `${tenant}/${scope}`));
  return {
    knowledgeBases: mixed(tables.knowledgeBases, taken.knowledgeBases, ({ tenant, id }) => isNamed('knowledge bases', tenant, id)),
    documents: mixed(tables.documents, taken.documents, ({ tenant, documentId }) => documents.includes(`${tenant}/${documentId}`)),
    scopes: mixed(tables.scopes, taken.scopes, ({ scope }) => scopes.has(`${scope.tenant}/${scope.scope}`)),
    refused: mixed(tables.refused, taken.refused, (row) => isNamed('refused chunks', row.tenant, refusedKey(row))),
  };
};

const mixed = <Row>(before: readonly Row[], next: readonly Row[], isReplaced: (row: Row) => boolean): Row[] => [
  ...before.filter((row) => !isReplaced(row)),
  ...next.filter(isReplaced),
];

/** The tables with the rows of these scopes from other ones, without those of the documents `except`. */
export const withScopesOf = (
  tables: CatalogTables,
  scopes: readonly TenantScope[],
  from: CatalogTables,
  except: readonly DocumentId[],
): CatalogTables => {
  const keys = new Set(scopes.map(scopeKey));
  const isTaken = ({ documentId }: Readonly<{ documentId: DocumentId }>): boolean => !except.includes(documentId);
  const [kept, { documents, refused, ...others }] = [tables, copyOf(from)];
  const taken = { ...others, documents: documents.filter(isTaken), refused: refused.filter(isTaken) };
  const ofRow = (row: Readonly<{ tenant: TenantId; scope: TenantScope['scope'] }>): boolean => keys.has(scopeKey(row));
  return {
    knowledgeBases: mixed(kept.knowledgeBases, taken.knowledgeBases, ofRow),
    documents: mixed(kept.documents, taken.documents, ofRow),
    scopes: mixed(kept.scopes, taken.scopes, ({ scope }) => keys.has(scopeKey(scope))),
    refused: mixed(kept.refused, taken.refused, ofRow),
  };
};

/** The tables with the rows of these documents and knowledge bases from other ones. */
export const withItemsOf = (
  { knowledgeBases, documents, scopes, refused }: CatalogTables,
  items: CatalogItems,
  from: CatalogTables,
): CatalogTables => {
  const taken = copyOf(from);
  const ofDocument = ({ tenant, documentId }: Pick<DocumentRow, 'tenant' | 'documentId'>): boolean =>
    tenant === items.tenant && items.documents.includes(documentId);
  return {
    knowledgeBases: mixed(
      knowledgeBases,
      taken.knowledgeBases,
      ({ tenant, id }) => tenant === items.tenant && items.knowledgeBases.includes(id),
    ),
    documents: mixed(documents, taken.documents, ofDocument),
    scopes,
    refused: mixed(refused, taken.refused, ofDocument),
  };
};

type Change<Name extends CatalogChange['change']> = Extract<CatalogChange, { change: Name }>;
type RefusedChunk = Omit<Extract<CatalogChange, Readonly<{ chunkId: ChunkId }>>, 'change'>;
type OfVersion = Readonly<{ tenant: TenantId; documentId: DocumentId; version: number }>;

export const applyChange = (tables: CatalogTables, change: CatalogChange): void => {
  switch (change.change) {
    case 'knowledge-base-created': {
      const { tenant, id, scope, settings, at } = change;
      tables.knowledgeBases = tables.knowledgeBases.filter((other) => other.tenant !== tenant || other.id !== id);
      tables.knowledgeBases.push({ tenant, id, scope, ...settings, status: 'active', documents: 0, createdAt: at });
      return;
    }
    case 'knowledge-base-configured':
      return configured(tables, change);
    case 'knowledge-base-strategy':
      Object.assign(knowledgeBaseOf(tables, change) ?? {}, { strategy: change.strategy });
      return;
    case 'knowledge-base-archived':
      Object.assign(knowledgeBaseOf(tables, change) ?? {}, { status: 'archived' });
      return;
    case 'knowledge-base-paused':
      Object.assign(knowledgeBaseOf(tables, change) ?? {}, { status: 'paused' });
      return;
    case 'knowledge-base-resumed':
      Object.assign(knowledgeBaseOf(tables, change) ?? {}, { status: 'active' });
      return;
    case 'knowledge-base-deleting':
      Object.assign(knowledgeBaseOf(tables, change) ?? {}, { status: 'deleting' });
      return;
    case 'knowledge-base-deleted':
      tables.knowledgeBases = tables.knowledgeBases.filter(({ tenant, id }) => tenant !== change.tenant || id !== change.id);
      return;
    case 'document-submitted':
      return submitted(tables, change);
    case 'document-processing':
      clearReason(tables, change);
      return finish(tables, change, { status: 'processing' }, { status: 'processing' });
    case 'document-deferred': {
      const { reason, detail, at } = change;
      return finish(tables, change, { status: 'pending', reason, detail, deferredAt: at }, { status: 'pending' });
    }
    case 'document-failed': {
      const { reason, detail, at } = change;
      clearReason(tables, change);
      return finish(tables, change, { status: 'failed', reason, detail }, { status: 'failed', reason, finishedAt: at });
    }
    case 'document-indexed':
      return indexed(tables, change);
    case 'document-deleted':
      tables.documents = tables.documents.filter(({ tenant, documentId }) => tenant !== change.tenant || documentId !== change.documentId);
      tables.refused = tables.refused.filter(({ tenant, documentId }) => tenant !== change.tenant || documentId !== change.documentId);
      return;
    case 'history-removed': {
      const document = documentOf(tables, change);
      if (document === undefined) return;
      document.versions = document.versions.filter(({ version }) => version >= change.version);
      const indexed = new Set(document.lists.flatMap(({ chunkRows }) => chunkRows.map(({ chunkId }) => chunkId)));
      const isOther = ({ tenant, documentId }: RefusedChunk): boolean => tenant !== change.tenant || documentId !== change.documentId;
      tables.refused = tables.refused.filter((row) => isOther(row) || indexed.has(row.chunkId));
      return;
    }
    case 'chunk-refused':
    case 'chunk-embedded': {
      const { change: kind, ...chunk } = change;
      tables.refused = tables.refused.filter((other) => JSON.stringify(other) !== JSON.stringify(chunk));
      if (kind === 'chunk-refused') tables.refused.push(chunk);
      return;
    }
    case 'generation': {
      const of = scopeOf(tables, change.scope);
      of.generations = [...of.generations.filter(({ id }) => id !== change.generation.id), change.generation];
      return;
    }
    case 'generation-built': {
      const of = scopeOf(tables, change.scope);
      of.generations = of.generations.map((one) =>
        one.id === change.id ? { ...one, status: change.companion ? 'companion' : 'ready' } : one,
      );
      return;
    }
    case 'generation-activated': {
      const of = scopeOf(tables, change.scope);
      of.generations = of.generations.map((one) => ({
        ...one,
        status: one.id === change.id ? 'active' : one.status === 'active' ? 'standby' : one.status,
      }));
      return showActive(tables, change.scope);
    }
    case 'generation-retired': {
      const of = scopeOf(tables, change.scope);
      of.generations = of.generations.map((one) => (one.id === change.id ? { ...one, status: 'retired' } : one));
      return dropRetired(tables, change.scope);
    }
    case 'scope-erased':
      return eraseScope(tables, change.scope);
    default:
      return unreachable(change);
  }
};

const configured = (tables: CatalogTables, change: Change<'knowledge-base-configured'>): void => {
  const base = knowledgeBaseOf(tables, change);
  if (!base) return;
  delete base.language;
  delete base.historyDays;
  delete base.fields;
  delete base.synonyms;
  Object.assign(base, change.settings);
};

const knowledgeBaseOf = (tables: CatalogTables, { tenant, id }: Pick<KnowledgeBaseView, 'tenant' | 'id'>) =>
  tables.knowledgeBases.find((found) => found.tenant === tenant && found.id === id);

const documentOf = (tables: CatalogTables, { tenant, documentId }: Readonly<{ tenant: TenantId; documentId: DocumentId }>) =>
  tables.documents.find((found) => found.tenant === tenant && found.documentId === documentId);

const scopeOf = (tables: CatalogTables, scope: TenantScope) => {
  const found = tables.scopes.find((one) => scopeKey(one.scope) === scopeKey(scope));
  if (found) return found;
  const created = { scope, generations: [] };
  tables.scopes.push(created);
  return created;
};

const submitted = (tables: CatalogTables, change: Change<'document-submitted'>): void => {
  const { change: _, checksum, at, ...fields } = change;
  const latest = { ...fields, status: 'pending' as const, submittedAt: at };
  const known = documentOf(tables, change);
  const document: DocumentRow = known ?? {
    ...latest,
    chunks: 0,
    failedChunks: 0,
    language: 'und',
    warnings: [],
    versions: [],
    lists: [],
  };
  Object.assign(document, latest);
  forgetReason(document);
  document.versions = document.versions.filter(({ version }) => version !== change.version);
  document.versions.push({ version: change.version, status: 'pending', submittedAt: at, checksum, bytes: change.bytes });
  if (!known) tables.documents.push(document);
};

/** Clears the reason why the latest version waits or failed. */
const clearReason = (tables: CatalogTables, change: OfVersion): void => {
  const document = documentOf(tables, change);
  if (document?.version !== change.version) return;
  forgetReason(document);
};

const forgetReason = (document: DocumentRow): void => {
  delete document.reason;
  delete document.detail;
  delete document.deferredAt;
};

const finish = (
  tables: CatalogTables,
  change: OfVersion,
  ofDocument: Partial<DocumentRow>,
  ofVersion: Partial<DocumentVersionView>,
): void => {
  const document = documentOf(tables, change);
  if (!document) return;
  if (document.version === change.version) Object.assign(document, ofDocument);
  Object.assign(document.versions.find(({ version }) => version === change.version) ?? {}, ofVersion);
};

const indexed = (tables: CatalogTables, change: Change<'document-indexed'>): void => {
  const document = documentOf(tables, change);
  if (!document) return;
  const { version, title, mediaType, language, failedChunks, warnings, at, labels, origin, chunks, chunkList: list, notRechunked } = change;
  const known = listOf(document, list);
  const listed: ListRow = {
    list,
    chunkRows: chunks.flatMap((place) => {
      const content = change.contents.find(({ chunkId }) => chunkId === place.chunkId);
      const before = known?.chunkRows.find(({ chunkId }) => chunkId === place.chunkId);
      if (content) return [{ ...content, ...place }];
      if (!before) return [];
      const { page: _page, ...rest } = before;
      return [{ ...rest, ...place }];
    }),
    indexed: { title, labels, origin, version, indexedAt: at },
    view: { title, mediaType, language, failedChunks, warnings },
    ...(notRechunked === undefined ? {} : { notRechunked }),
  };
  document.lists = [...document.lists.filter((one) => one !== known), listed].sort((a, b) => (a.list < b.list ? -1 : 1));
  if ((activeList(tables, change) ?? list) !== list) return;
  if (document.version <= version) {
    forgetReason(document);
    document.status = 'indexed';
  }
  show(document, listed);
  Object.assign(document.versions.find((one) => one.version === version) ?? {}, { status: 'indexed', finishedAt: at });
};

const activeList = (tables: CatalogTables, { tenant, scope }: TenantScope): ChunkListId | undefined => {
  const active = scopeOf(tables, { tenant, scope }).generations.find(({ status }) => status === 'active');
  return active && chunkListOf(active.recipe.chunking);
};

/** Title and media type of a version that is in progress or failed are those of its submission. */
const show = (document: DocumentRow, { list, chunkRows, indexed: of, view: { title, mediaType, ...view } }: ListRow): void => {
  Object.assign(document, { list, ...view, indexedVersion: of.version, indexedAt: of.indexedAt, chunks: chunkRows.length });
  if (document.status === 'indexed') Object.assign(document, { title, mediaType });
  Object.assign(document.versions.find(({ version }) => version === of.version) ?? {}, { chunks: chunkRows.length });
};

const documentsOf = (tables: CatalogTables, { tenant, scope }: TenantScope): readonly DocumentRow[] =>
  tables.documents.filter((document) => document.tenant === tenant && document.scope === scope);

const showActive = (tables: CatalogTables, scope: TenantScope): void => {
  const list = activeList(tables, scope);
  for (const document of documentsOf(tables, scope)) {
    const listed = document.list === list ? undefined : listOf(document, list);
    if (listed) show(document, listed);
  }
};

const eraseScope = (tables: CatalogTables, scope: TenantScope): void => {
  const isOther = (of: Readonly<{ tenant: TenantId; scope: VectorScope }>): boolean =>
    of.tenant !== scope.tenant || of.scope !== scope.scope;
  const gone = new Set(documentsOf(tables, scope).map(({ documentId }) => documentId));
  tables.refused = tables.refused.filter(({ tenant, documentId }) => tenant !== scope.tenant || !gone.has(documentId));
  tables.documents = tables.documents.filter(isOther);
  tables.knowledgeBases = tables.knowledgeBases.filter(isOther);
};

const dropRetired = (tables: CatalogTables, scope: TenantScope): void => {
  const live = scopeOf(tables, scope)
    .generations.filter(({ status }) => status !== 'retired')
    .map(({ recipe }) => chunkListOf(recipe.chunking));
  for (const document of documentsOf(tables, scope)) {
    document.lists = document.lists.filter(({ list }) => live.includes(list));
    if (document.list === undefined || listOf(document)) continue;
    for (const gone of ['list', 'indexedVersion', 'indexedAt'] as const) delete document[gone];
    document.chunks = 0;
  }
};
