import fc from 'fast-check';
import type { Access } from '@palimpsest/knowledge/access';
import {
  documentStream,
  isGone,
  knowledgeBase,
  knowledgeBaseStream,
  scope as scopeDecider,
  scopeStream,
} from '@palimpsest/knowledge/deciders';
import { Conflict, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { embeddingVersion, knowledgeBaseId, sourceId, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { documentIdOf, openText, openVectors, type ExportHead } from '@palimpsest/contracts';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { catalogOf } from '../../test/exported-lines.ts';
import { sentBy, transferring } from '../../test/transferring.ts';
import { BASE, SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { ImportModelMismatch } from './import-start.ts';
import { PortableExport, type ExportRecord } from './portable-export.ts';
import type { Imported, ImportOptions } from './document-import.ts';
import { BeginImport, ExportScope, ImportDocuments } from './transfer-scope.ts';

const ADMIN: Access = { ...WRITER, roles: ['admin'] };
/** Another tenant on another installation with another master key. */
const THERE: Access = { tenant: tenantId('there'), teams: ['*'], roles: ['admin'], actor: 'key-9' };
const BLUE = vectorScope('team:blue');
const [A, B] = [sections('Apple', 'Berry', 'Apple'), sections('Cedar', 'Dill')];

const exported = async (world: World, access = ADMIN, scope = SCOPE.scope): Promise<readonly ExportRecord[]> => {
  const records: ExportRecord[] = [];
  const lines = await transferring(world).execute(new ExportScope(sentBy(access), { scope, portable: true }));
  for await (const record of lines) records.push(record as ExportRecord);
  return records;
};

const headOf = (records: readonly ExportRecord[]): ExportHead => records[0] as ExportHead;
const beginIn = (world: World, head: ExportHead, { access = THERE, scope = BLUE, reembed = false } = {}) =>
  transferring(world).execute(new BeginImport(sentBy(access), { scope, head, reembed, renames: new Map() }));

const importInto = async (
  world: World,
  records: readonly unknown[],
  options: Partial<ImportOptions> = {},
  { access = THERE, scope = BLUE } = {},
): Promise<readonly Imported[]> => {
  const lines = async function* () {
    for (const record of records) yield JSON.stringify(record);
  };
  const all: ImportOptions = { reembed: false, overwrite: false, embeddingVersion: world.provider.version, ...options };
  return transferring(world).execute(new ImportDocuments(sentBy(access), { scope, lines: lines(), options: all }));
};

const documentsOf = (records: readonly ExportRecord[]) => records.filter(({ kind }) => kind !== 'export' && kind !== 'end');
const guide = async (world: World, scope: TenantScope = { tenant: THERE.tenant, scope: BLUE }) =>
  documentIdOf(world.journal, await world.keys.cipher(scope), {
    tenant: scope.tenant,
    knowledgeBase: BASE,
    sourceId: sourceId('guide.md'),
    documentIds: 'keyed',
  });
const types = async (world: World): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { event } of world.journal.readStream(documentStream(THERE.tenant, await guide(world)))) found.push(event.type);
  return found;
};

/** One document of two versions, whose second shares a chunk with the first. */
const aSource = async (): Promise<World> => {
  const world = await new World().begin();
  await world.index(sections('Apple', 'Old'), { labels: { team: 'red' } });
  await world.index(A, { labels: { team: 'red' }, title: 'The guide', fileName: 'guide.md' });
  return world;
};

describe('an exported scope', () => {
  it('contains all vectors of a chunk that was too long for one', async () => {
    const provider = () => aFakeEmbeddingProvider({ maxWords: 10 });
    const source = await new World({ provider: provider() }).begin();
    await source.index(A);
    const target = new World({ provider: provider() });
    const records = await exported(source);
    await beginIn(target, headOf(records));
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'imported' }]);
    const vectorsOf = (all: readonly ExportRecord[]) =>
      all.flatMap((record) => (record.kind === 'chunk' ? [[record.vector, ...(record.furtherVectors ?? [])]] : []));
    expect(vectorsOf(records).every((vectors) => vectors.length > 2)).toBe(true);
    const cipher = await target.keys.cipher({ tenant: THERE.tenant, scope: BLUE });
    const imported: string[][] = [];
    for await (const { event } of target.journal.readStream(documentStream(THERE.tenant, await guide(target)))) {
      if (event.type !== 'KnowledgeChunkIndexed') continue;
      const { vector, further = [] } = openVectors(cipher, event.data.chunkId, event.data.embeddingVersion, event.data);
      imported.push([vector, ...further].map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength).toString('base64')));
    }
    expect(imported).toEqual(vectorsOf(records));
    expect(target.provider.calls).toEqual([]);
  });

  it.each([
    ['of another width', (vector: string) => [vector.slice(0, 100)], 'furtherVectors.0'],
    [
      'that are not of length 1',
      (vector: string) => [Buffer.from(new Float32Array(64).buffer).toString('base64'), vector],
      'furtherVectors.0',
    ],
    ['in too great a number', (vector: string) => Array.from({ length: 64 }, () => vector), 'furtherVectors'],
  ])('is refused with further vectors %s', async (_, further, field) => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    const harmed = documentsOf(records).map((record) =>
      record.kind === 'chunk' ? { ...record, furtherVectors: further(record.vector) } : record,
    );
    await expect(importInto(target, harmed)).rejects.toMatchObject({ code: 'InvalidValue', field: `line 3.${field}` });
  });

  it('is imported with texts, vectors, labels and upload, without calling a model', async () => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    expect(await beginIn(target, headOf(records))).toMatchObject({ mode: 'vectors', knowledgeBases: [{ id: BASE, status: 'made' }] });
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'imported', version: 1, sourceId: 'guide.md' }]);
    expect(target.provider.calls).toEqual([]);
    expect(await types(target)).toEqual([
      'KnowledgeChunkIndexed',
      'KnowledgeChunkIndexed',
      'KnowledgeChunkIndexed',
      'DocumentSubmitted',
      'DocumentIndexed',
    ]);
    const again = await exported2(target);
    // A second export from there is the same, so nothing was lost.
    expect(documentsOf(again)).toEqual(documentsOf(records));
    expect(headOf(again).knowledgeBases).toEqual(headOf(records).knowledgeBases);
  });

  it('keeps the language that its knowledge base declares', async () => {
    const [source, target] = [await aSource(), new World()];
    await source.knowledgeBases.configure(WRITER, BASE, { language: 'de-CH' }, 'r');
    const head = headOf(await exported(source));
    expect(head.knowledgeBases).toMatchObject([{ id: BASE, language: 'de-CH' }]);
    await beginIn(target, head);
    expect((await target.knowledgeBases.writable(THERE, BASE)).settings.language).toBe('de-CH');
  });

  const exported2 = (world: World): Promise<readonly ExportRecord[]> => {
    const { journal, blobs, keys, now } = world;
    const view = async () => {
      const { state } = await journal.load(knowledgeBase, knowledgeBaseStream(THERE.tenant, BASE));
      return isGone(state) ? [] : [{ id: BASE, status: state.status, documents: 1, ...state.settings }];
    };
    const catalog = { ...catalogOf(world), knowledgeBases: view } as unknown as Catalog;
    return (async () => {
      const found: ExportRecord[] = [];
      for await (const record of await new PortableExport({ journal, blobs, keys, now, catalog }).run(THERE, BLUE)) found.push(record);
      return found;
    })();
  };

  it('is sealed with the key of the scope that it is imported into', async () => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    await importInto(target, documentsOf(records));
    const [here, there] = [await source.keys.cipher(SCOPE), await target.keys.cipher({ tenant: THERE.tenant, scope: BLUE })];
    for await (const { event } of target.journal.readStream(documentStream(THERE.tenant, await guide(target)))) {
      if (event.type !== 'KnowledgeChunkIndexed') continue;
      const sealed = Buffer.from(event.data.sealedText, 'base64');
      expect(openText(there, event.data.chunkId, sealed).text).toMatch(/apple|berry/);
      expect(() => openText(here, event.data.chunkId, sealed)).toThrow();
    }
  });

  it('changes nothing when it is imported twice', async () => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    await importInto(target, documentsOf(records));
    const head = await target.log.head();
    expect(await beginIn(target, headOf(records))).toMatchObject({ knowledgeBases: [{ status: 'found' }] });
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'unchanged', version: 1 }]);
    expect(await target.log.head()).toBe(head);
  });

  it('is imported once, wherever earlier attempts were interrupted', async () => {
    const source = await aSource();
    const records = documentsOf(await exported(source));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: records.length - 1 }), { maxLength: 3 }), async (cuts) => {
        const target = new World();
        await beginIn(target, headOf(await exported(source)));
        for (const cut of cuts)
          await importInto(target, records.slice(0, cut)).catch((error: unknown) => expect(error).toBeInstanceOf(InvalidValue));
        expect(await importInto(target, records)).toMatchObject([{ status: 'imported', version: 1 }]);
        expect([...(await types(target))].sort()).toEqual([
          'DocumentIndexed',
          'DocumentSubmitted',
          'KnowledgeChunkIndexed',
          'KnowledgeChunkIndexed',
          'KnowledgeChunkIndexed',
        ]);
      }),
      { numRuns: 15 },
    );
  });

  it('keeps existing content unless `overwrite` is set', async () => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    await target.submit(B, {}, THERE);
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'kept', version: 1 }]);
    expect(await importInto(target, documentsOf(records), { overwrite: true })).toMatchObject([{ status: 'imported', version: 2 }]);
    expect(await importInto(target, documentsOf(records), { overwrite: true })).toMatchObject([{ status: 'unchanged', version: 2 }]);
  });

  it('contains the submissions of documents that were not indexed yet', async () => {
    const [source, target] = [await new World().begin(), new World()];
    await source.submit(B, { labels: { a: 'b' } });
    const records = await exported(source);
    await beginIn(target, headOf(records));
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'accepted', version: 1 }]);
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'unchanged', version: 1 }]);
    expect(await types(target)).toEqual(['DocumentSubmitted']);
  });

  it('can be imported without a lost upload, but not re-embedded', async () => {
    const [source, target] = [await aSource(), new World()];
    const blob = (await source.state(await guide(source, SCOPE))).submission?.blob;
    if (!blob) throw new Error('no upload');
    await source.blobs.delete(blob);
    const records = await exported(source);
    await beginIn(target, headOf(records));
    expect(await importInto(target, documentsOf(records), { reembed: true })).toMatchObject([
      { status: 'rejected', error: expect.objectContaining({ message: 'upload of the document in this export "guide.md" not found' }) },
    ]);
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'imported' }]);
    expect(await target.blobs.exists(blob)).toBe(false);
  });

  it('contains the version that searches find, even while a newer version is processed', async () => {
    const source = await aSource();
    const before = documentsOf(await exported(source));
    await source.submit(B, { labels: { team: 'red' }, title: 'The guide', fileName: 'guide.md' });
    expect(documentsOf(await exported(source))).toEqual(before);
  });
});

describe('another model', () => {
  const OTHER = aFakeEmbeddingProvider({ version: embeddingVersion('fake:other/32') });

  it('is reported before anything is written', async () => {
    const source = await aSource();
    const target = new World({ provider: OTHER });
    const records = await exported(source);
    await expect(beginIn(target, headOf(records))).rejects.toThrow(ImportModelMismatch);
    expect(await target.log.head()).toBe(0n);
    await target.knowledgeBases.create(
      THERE,
      {
        id: knowledgeBaseId('mine'),
        scope: BLUE,
        settings: { name: 'm', description: '', chunking: headOf(records).knowledgeBases[0]?.chunking as never },
      },
      'r',
    );
    const head = await target.log.head();
    await expect(beginIn(target, headOf(records))).rejects.toThrow(/is served by fake:other\/32/);
    await expect(importInto(target, documentsOf(records), { embeddingVersion: source.provider.version })).rejects.toThrow(
      ImportModelMismatch,
    );
    expect(await target.log.head()).toBe(head);
  });

  it('gets the documents submitted again if re-embedding is requested', async () => {
    const source = await aSource();
    const target = new World({ provider: OTHER });
    const records = await exported(source);
    expect(await beginIn(target, headOf(records), { reembed: true })).toMatchObject({ mode: 're-embed', embeddingVersion: OTHER.version });
    expect(await importInto(target, documentsOf(records), { reembed: true })).toMatchObject([{ status: 'accepted' }]);
    expect(await importInto(target, documentsOf(records), { reembed: true })).toMatchObject([{ status: 'unchanged' }]);
    expect(await types(target)).toEqual(['DocumentSubmitted']);
  });

  it('serves a new scope if it is configured in addition to the current one', async () => {
    const source = await aSource();
    const target = new World({ provider: OTHER, others: [source.provider] });
    const records = await exported(source);
    expect(await beginIn(target, headOf(records))).toMatchObject({ mode: 'vectors', embeddingVersion: source.provider.version });
    const { state } = await target.journal.load(scopeDecider, scopeStream({ tenant: THERE.tenant, scope: BLUE }));
    expect(state.generations).toMatchObject([{ status: 'active', embeddingVersion: source.provider.version }]);
  });
});

describe('permissions and refusals', () => {
  it.each<[string, Partial<Access>, new (...args: never[]) => Error]>([
    ['a writer', { roles: ['writer'] }, Forbidden],
    ['an operator', { roles: ['operator'] }, Forbidden],
    ['an admin of another team', { teams: ['green'] }, NotFound],
  ])('%s may neither export nor import', async (_, over, error) => {
    const source = await aSource();
    const records = await exported(source);
    await expect(exported(source, { ...ADMIN, ...over })).rejects.toThrow(error);
    await expect(beginIn(source, headOf(records), { access: { ...ADMIN, ...over }, scope: SCOPE.scope })).rejects.toThrow(error);
    await expect(importInto(source, documentsOf(records), {}, { access: { ...ADMIN, ...over }, scope: SCOPE.scope })).rejects.toThrow(
      error,
    );
  });

  it('a scope that was never opened or belongs to another tenant is not exported', async () => {
    const source = await aSource();
    await expect(exported(source, { ...ADMIN, teams: ['*'] }, BLUE)).rejects.toThrow(NotFound);
    await expect(exported(source, THERE)).rejects.toThrow(NotFound);
  });

  it('an import is refused if a knowledge base with that id is archived or in another scope', async () => {
    const source = await aSource();
    const head = headOf(await exported(source));
    await expect(beginIn(source, head, { access: { ...ADMIN, teams: ['*'] }, scope: BLUE })).rejects.toThrow(
      /exists already, in another scope/,
    );
    await source.knowledgeBases.archive(WRITER, BASE, 'r');
    await expect(beginIn(source, head, { access: ADMIN, scope: SCOPE.scope })).rejects.toThrow(Conflict);
    const base = { ...head.knowledgeBases[0], id: knowledgeBaseId('default') } as ExportHead['knowledgeBases'][number];
    await expect(beginIn(new World(), { ...head, knowledgeBases: [base] })).rejects.toThrow(/belongs to the scope "deployment"/);
  });

  it('a paused knowledge base accepts nothing, also if it is paused during an import', async () => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    await target.knowledgeBases.pause(THERE, BASE, 'r');
    await expect(importInto(target, documentsOf(records))).rejects.toThrow(/is paused/);
    await expect(beginIn(target, headOf(records))).rejects.toThrow(/is paused/);
    await target.knowledgeBases.resume(THERE, BASE, 'r');
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'imported' }]);
  });

  it('an archived knowledge base is archived there too, but accepts its exported documents', async () => {
    const [source, target] = [await aSource(), new World()];
    await source.knowledgeBases.archive(WRITER, BASE, 'r');
    const records = await exported(source);
    await beginIn(target, headOf(records));
    expect((await target.journal.load(knowledgeBase, knowledgeBaseStream(THERE.tenant, BASE))).state.status).toBe('archived');
    expect(await importInto(target, documentsOf(records))).toMatchObject([{ status: 'imported' }]);
  });

  it('a document is not imported into a knowledge base of another scope', async () => {
    const source = await aSource();
    const records = documentsOf(await exported(source));
    const target = new World();
    await beginIn(target, headOf(await exported(source)));
    await expect(
      importInto(
        target,
        records.map((record) => (record.kind === 'document' ? { ...record, knowledgeBase: 'none' } : record)),
      ),
    ).rejects.toThrow(NotFound);
  });

  it.each<[string, (record: Record<string, unknown>) => Record<string, unknown> | undefined, RegExp]>([
    [
      'a different upload',
      (record) => (record['kind'] === 'bytes' ? { ...record, data: Buffer.from('forged').toString('base64') } : record),
      /bytes: expected the \d+ bytes/,
    ],
    [
      'a document too large',
      (record) => (record['kind'] === 'document' ? { ...record, bytes: 2_000_000 } : record),
      /at most 1000000 bytes/,
    ],
    [
      'a vector of another width',
      (record) => (record['kind'] === 'chunk' ? { ...record, vector: 'AAAA' } : record),
      /vector: expected 64 values/,
    ],
    [
      'a zero vector',
      (record) => (record['kind'] === 'chunk' ? { ...record, vector: Buffer.alloc(256).toString('base64') } : record),
      /a vector of length 1/,
    ],
    [
      'a missing chunk',
      (record) => (record['kind'] === 'chunk' && record['index'] === 0 ? undefined : record),
      /chunks: expected 3 chunks/,
    ],
    [
      'an extra chunk',
      (record) => (record['kind'] === 'document' ? { ...record, indexed: { ...(record['indexed'] as object), chunks: 1 } } : record),
      /chunks: expected 1 chunks.*more/,
    ],
    [
      'an unknown field',
      (record) => (record['kind'] === 'chunk' ? { ...record, tenant: 'acme' } : record),
      /line \d+\.tenant: expected a known field/,
    ],
    ['a missing end', (record) => (record['kind'] === 'document-end' ? undefined : record), /incomplete document/],
    ['a missing beginning', (record) => (record['kind'] === 'document' ? undefined : record), /"document" first/],
  ])('%s is refused with the expected value', async (_, change, message) => {
    const [source, target] = [await aSource(), new World()];
    const records = await exported(source);
    await beginIn(target, headOf(records));
    const wrong = documentsOf(records).flatMap((record) => change(record as unknown as Record<string, unknown>) ?? []);
    await expect(importInto(target, wrong)).rejects.toThrow(message);
    expect((await types(target)).filter((type) => type !== 'KnowledgeChunkIndexed')).toEqual([]);
  });
});
