import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { authorise } from '@palimpsest/knowledge/access';
import type { Catalog, CatalogChange } from '@palimpsest/knowledge/read-models';
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
  type Position,
} from '@palimpsest/knowledge/values';

const ACME = tenantId('acme');
const SCOPE = vectorScope('deployment');
const BASE = knowledgeBaseId('handbook');
const SCOPES = authorise({ tenant: ACME, teams: [], user: 'ann', roles: ['reader'], actor: 'spec' }, [SCOPE]);
const AT = '2026-01-01T00:00:00Z';

const id = (n: number, lead: string): string => n.toString(16).padStart(31, '0').padStart(32, lead);
const documentOf = (n: number) => documentId(id(n, 'd'));
const chunkOf = (n: number, i: number) => chunkId(id(n * 100 + i, 'c'));

/** The changes at position n: a new document with `chunks` chunks, which sometimes fails, and sometimes the deletion of an earlier one. */
export const changesAt = (n: number, chunks = 5): readonly CatalogChange[] => {
  const of = {
    tenant: ACME,
    scope: SCOPE,
    documentId: documentOf(n),
    version: 1,
    mediaType: 'text/plain',
    labels: { n: String(n) },
    origin: 'UserContent',
    at: AT,
  } as const;
  const initial: readonly CatalogChange[] = [
    {
      change: 'knowledge-base-created',
      tenant: ACME,
      id: BASE,
      scope: SCOPE,
      settings: { name: 'Handbook', description: '', chunking: {} as never },
      at: AT,
    },
    {
      change: 'generation',
      scope: { tenant: ACME, scope: SCOPE },
      generation: {
        id: generationId('g1'),
        embeddingVersion: embeddingVersion('fake:model/8'),
        recipe: recipeWith({ version: embeddingVersion('fake:model/8') }),
        status: 'building',
      },
    },
    { change: 'generation-activated', scope: { tenant: ACME, scope: SCOPE }, id: generationId('g1') },
  ];
  const places = Array.from({ length: chunks }, (_, i) => ({
    chunkId: chunkOf(n, i),
    start: i * 10,
    end: i * 10 + 10,
    fromLine: i + 1,
    toLine: i + 2,
  }));
  const submitted: CatalogChange = {
    change: 'document-submitted',
    ...of,
    knowledgeBase: BASE,
    sourceId: sourceId(`${n}.md`),
    title: `Document ${n}`,
    bytes: 100 + n,
    checksum: sha256('0'.repeat(64)),
  };
  const indexed: CatalogChange = {
    change: 'document-indexed',
    ...of,
    chunkList: DEFAULT_CHUNK_LIST,
    title: `Document ${n}`,
    language: 'en',
    chunkingVersion: chunkingVersion('markdown@1'),
    metadata: {},
    failedChunks: 0,
    warnings: [],
    chunks: places,
    contents: places.map((place, i) => ({
      chunkId: place.chunkId,
      contentHash: sha256(id(i, 'a').repeat(2)),
      sealedText: new Uint8Array(150).fill(n + i),
      language: 'en',
    })),
  };
  const failed: CatalogChange = {
    change: 'document-failed',
    tenant: ACME,
    documentId: of.documentId,
    version: 1,
    reason: 'corrupt',
    detail: 'It cannot be read.',
    at: AT,
  };
  const gone: CatalogChange = { change: 'document-deleted', tenant: ACME, documentId: documentOf(Math.max(1, n - 2)) };
  return [
    ...(n === 1 ? initial : []),
    submitted,
    ...(n % 5 === 4 ? [failed] : n % 7 === 6 ? [] : [indexed]),
    ...(n % 6 === 5 ? [gone] : []),
  ];
};

/** Applies all changes from the catalog's position up to `upTo`. */
export const applyUpTo = async (catalog: Catalog, upTo: number, chunks?: number): Promise<void> => {
  for (let n = Number(await catalog.position()) + 1; n <= upTo; n++) await catalog.apply(changesAt(n, chunks), position(BigInt(n)));
};

/** Everything that can be read through the port about this many documents, including documents that do not exist. */
export const everything = async (
  catalog: Catalog,
  documents: number,
): Promise<Readonly<{ position: Position; read: readonly unknown[] }>> => {
  const read: unknown[] = [
    await catalog.knowledgeBases(SCOPES),
    await catalog.knowledgeBase(SCOPES, BASE),
    await catalog.documentCounts(),
    await catalog.documentCounts(ACME),
    await catalog.countsIn(SCOPES),
    await catalog.chunkCount(),
    await catalog.chunkCount(ACME),
    await catalog.use(ACME),
    await catalog.scopes(),
    await catalog.indexedDocuments({ tenant: ACME, scope: SCOPE }, 1_000),
    await catalog.waitingDocuments(ACME, BASE, 1_000),
    await catalog.documents(SCOPES, { limit: 1_000 }),
    await catalog.documents(SCOPES, { limit: 1_000, status: 'indexed', source: '1' }),
    await catalog.countDocuments(SCOPES, { knowledgeBase: BASE }),
    await catalog.languages({ tenant: ACME, scope: SCOPE }),
    await catalog.deferredDocuments({ tenant: ACME, scope: SCOPE }, 1_000),
  ];
  const chunks = Array.from({ length: documents }, (_, n) => Array.from({ length: 6 }, (_, i) => chunkOf(n + 1, i))).flat();
  read.push([...(await catalog.visible(SCOPES, chunks))].sort());
  for (const { chunkId: one, ...rest } of await catalog.chunks(SCOPES, chunks)) read.push([one, rest]);
  for (let n = 1; n <= documents; n++) {
    const one = documentOf(n);
    read.push(
      await catalog.document(SCOPES, one),
      await catalog.documentSize(ACME, one),
      await catalog.versions(SCOPES, one),
      (await catalog.chunksOf(SCOPES, one, { limit: 99 })).items,
    );
  }
  const hashes: unknown[] = [];
  for await (const row of catalog.contentHashes({ tenant: ACME, scope: SCOPE })) hashes.push(row);
  return { position: await catalog.position(), read: [...read, hashes] };
};

export type FilesAtRest = ReadonlyMap<string, Buffer>;

/** The files as a kill at this moment would leave them, without the shared memory of SQLite. */
export const filesAfterKill = (file: string): FilesAtRest =>
  new Map(
    readdirSync(dirname(file))
      .filter((name) => name.startsWith(basename(file)) && !name.endsWith('-shm'))
      .map((name) => [name.slice(basename(file).length), readFileSync(join(dirname(file), name))]),
  );

/** Runs `look` on the files in a temporary folder, which is then removed. */
export const inTemporaryFolder = async <T>(files: FilesAtRest, look: (file: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-at-rest-'));
  const file = join(folder, 'catalog.db');
  for (const [ending, bytes] of files) writeFileSync(`${file}${ending}`, bytes);
  try {
    return await look(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
