import { authorise, type PermittedScope, type RequiredLabels } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { Catalog, CatalogChange, ChunkContent } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  chunkingVersion,
  DEFAULT_CHUNK_LIST,
  documentId,
  embeddingVersion,
  generationId,
  knowledgeBaseId,
  position,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type ChunkId,
  type DocumentId,
  type Position,
  type TenantScope,
} from '@palimpsest/knowledge/values';

/** A new, empty catalog. `reopen` closes it and opens the stored data again. */
export type CatalogUnderTest = Readonly<{ catalog: Catalog; reopen(): Promise<Catalog>; dispose(): Promise<void> }>;

type Change<Name extends CatalogChange['change']> = Extract<CatalogChange, { change: Name }>;
type Part<Name extends CatalogChange['change']> = Partial<Omit<Change<Name>, 'change'>>;

export const ACME = tenantId('acme');
export const OTHER = tenantId('other');
export const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** Scopes in the form that reads require. */
export const permitted = (scopes: readonly string[], tenant = ACME, requiredLabels?: RequiredLabels): readonly PermittedScope[] =>
  ['ann', 'bob']
    .flatMap((user) =>
      authorise(
        { tenant, teams: ['*'], user, roles: ['reader'], actor: 'kit', ...(requiredLabels ? { requiredLabels } : {}) },
        scopes.map((scope) => vectorScope(scope)),
      ),
    )
    .filter(firstOfItsScope);

const firstOfItsScope = (one: PermittedScope, i: number, all: readonly PermittedScope[]): boolean =>
  all.findIndex(({ scope }) => scope === one.scope) === i;

export const scopeOf = (scope = 'deployment', tenant = ACME): TenantScope => ({ tenant, scope: vectorScope(scope) });

/** Ids in the order of their numbers. */
export const aDocumentId = (number: number): DocumentId => documentId(number.toString(16).padStart(32, '0'));
export const aChunkId = (number: number): ChunkId => chunkId(number.toString(16).padStart(32, 'c'));
export const aHash = (number: number) => sha256(number.toString(16).padStart(64, '0'));

export const aContent = (number: number, part: Partial<ChunkContent> = {}): ChunkContent => ({
  chunkId: aChunkId(number),
  contentHash: aHash(number),
  sealedText: Uint8Array.of(number, 1, 2),
  language: 'en',
  ...part,
});

export const place = (number: number, start = 0) => ({
  chunkId: aChunkId(number),
  start,
  end: start + 10,
  fromLine: start + 1,
  toLine: start + 2,
});

const chunking = {
  markdown: { maxChars: 1500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1500 },
  code: { maxChars: 1500, overlap: 200 },
};
export const settings = (name = 'Handbook') => ({ name, description: '', chunking });

export const knowledgeBaseCreated = (part: Part<'knowledge-base-created'> = {}): CatalogChange => ({
  change: 'knowledge-base-created',
  tenant: ACME,
  id: knowledgeBaseId('handbook'),
  scope: vectorScope('deployment'),
  settings: settings(),
  at: at(0),
  ...part,
});

export const submitted = (number: number, part: Part<'document-submitted'> = {}): CatalogChange => ({
  change: 'document-submitted',
  tenant: ACME,
  scope: vectorScope('deployment'),
  documentId: aDocumentId(number),
  knowledgeBase: knowledgeBaseId('handbook'),
  sourceId: sourceId(`doc-${number}.md`),
  version: 1,
  title: `Document ${number}`,
  mediaType: 'text/plain',
  bytes: 100,
  checksum: aHash(1),
  labels: {},
  origin: 'UserContent',
  at: at(1),
  ...part,
});

export const processing = (number: number, version = 1): CatalogChange => ({
  change: 'document-processing',
  tenant: ACME,
  documentId: aDocumentId(number),
  version,
});

export const failed = (number: number, part: Part<'document-failed'> = {}): CatalogChange => ({
  change: 'document-failed',
  tenant: ACME,
  documentId: aDocumentId(number),
  version: 1,
  reason: 'corrupt',
  detail: 'It cannot be read.',
  at: at(2),
  ...part,
});

/** Chunks by their numbers, all with contents unless `contents` is given. */
export const indexed = (number: number, chunks: readonly number[], part: Part<'document-indexed'> = {}): CatalogChange => ({
  change: 'document-indexed',
  tenant: ACME,
  scope: vectorScope('deployment'),
  documentId: aDocumentId(number),
  version: 1,
  chunkList: DEFAULT_CHUNK_LIST,
  title: `Document ${number}`,
  mediaType: 'text/markdown',
  language: 'en',
  chunkingVersion: chunkingVersion('markdown@1'),
  labels: {},
  origin: 'UserContent',
  metadata: {},
  failedChunks: 0,
  warnings: [],
  at: at(3),
  chunks: chunks.map((chunk, i) => place(chunk, 10 * i)),
  contents: chunks.map((chunk) => aContent(chunk)),
  ...part,
});

export const deleted = (number: number, tenant = ACME): CatalogChange => ({
  change: 'document-deleted',
  tenant,
  documentId: aDocumentId(number),
});

export const embedding = (
  change: 'chunk-refused' | 'chunk-embedded',
  of: Readonly<{ document: number; chunk: number; model: number }>,
): CatalogChange => ({
  change,
  tenant: ACME,
  scope: vectorScope('deployment'),
  documentId: aDocumentId(of.document),
  chunkId: aChunkId(of.chunk),
  embeddingVersion: embeddingVersion(`fake:model-${of.model}/8`),
});

export const aGeneration = (number: number, status: Generation['status'] = 'building'): Generation => ({
  id: generationId(`g${number}`),
  embeddingVersion: embeddingVersion(`fake:model-${number}/8`),
  recipe: recipeWith({ version: embeddingVersion(`fake:model-${number}/8`) }),
  status,
});

export const generationStarted = (number: number, scope = scopeOf()): CatalogChange => ({
  change: 'generation',
  scope,
  generation: aGeneration(number),
});
export const generationActivated = (number: number, scope = scopeOf()): CatalogChange => ({
  change: 'generation-activated',
  scope,
  id: generationId(`g${number}`),
});
export const generationRetired = (number: number, scope = scopeOf()): CatalogChange => ({
  change: 'generation-retired',
  scope,
  id: generationId(`g${number}`),
});

export const aCatalogPosition = (number: number): Position => position(BigInt(number));
