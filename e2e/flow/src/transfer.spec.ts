import type { ExportHead, SealedExportHead, Hit, ImportedDocument, PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText, uploadFiles } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

type Exported = Readonly<{ head: ExportHead; documents: string; end: unknown }>;

const PROSE = [
  'Otters swim in the river and eat fish.',
  'Herons stand in the shallow water.',
  'Beavers build dams of wood.',
  'Kingfishers dive from branches.',
  'Frogs sing on warm evenings.',
];

describe('a scope that is transferred to another installation', () => {
  let standIn: EmbeddingStandIn;
  let source: PlatformUnderTest;
  let target: PlatformUnderTest;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    source = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    target = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await source.client.knowledgeBases.create({
      id: 'animals',
      scope: 'team:zoo',
      name: 'Animals',
      chunking: { markdown: { maxChars: 300 } },
    });
    const text = PROSE.map((line, i) => `## ${i}\n\n${line} ${line}`).join('\n\n');
    await submitText(source.client, { knowledgeBase: 'animals', sourceId: 'old.md', text: 'An older text about nothing.' });
    await submitText(source.client, { knowledgeBase: 'animals', sourceId: 'old.md', text, labels: { kind: 'river' }, origin: 'Narrative' });
    for (const [i, line] of PROSE.entries())
      await submitText(source.client, { knowledgeBase: 'animals', sourceId: `${i}.md`, text: line, title: `Text ${i}` });
    await uploadFiles(source.client, [{ name: 'table.csv', content: Buffer.from('animal,food\nbadger,worms\nfox,mice\n') }], {
      knowledgeBase: 'animals',
    });
  });

  const exported = async (client: PalimpsestClient, scope = 'team:zoo'): Promise<Exported> => {
    const parts: Uint8Array[] = [];
    for await (const bytes of client.transfer.exportScope(scope, { portable: true })) parts.push(bytes);
    const lines = Buffer.concat(parts).toString().trimEnd().split('\n');
    return {
      head: JSON.parse(lines[0] ?? '') as ExportHead,
      documents: lines.slice(1, -1).join('\n'),
      end: JSON.parse(lines.at(-1) ?? ''),
    };
  };
  const importAll = async (
    client: PalimpsestClient,
    { head, documents }: Exported,
    scope = 'team:zoo',
  ): Promise<readonly ImportedDocument[]> => {
    await client.transfer.begin(scope, head);
    return (await client.transfer.importDocuments(scope, Buffer.from(documents), { embeddingVersion: head.embeddingVersion })).documents;
  };
  const hits = async (client: PalimpsestClient, scope = 'team:zoo'): Promise<readonly (readonly Hit[])[]> => {
    const found = [];
    for (const strategy of ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const)
      for (const query of ['otters in the river', 'who builds dams', 'warm evenings', 'badger worms'])
        found.push((await client.search({ query, strategy, scopes: [scope], topK: 20 })).hits);
    return found;
  };
  /** With other ids, results of equal score may be ordered differently, because ties are ordered by id. */
  const withoutIds = (found: readonly (readonly Hit[])[]) =>
    found.map((list) =>
      list
        .map(({ documentId: _document, chunkId: _chunk, scope: _scope, knowledgeBase: _base, rank: _rank, ...hit }) => hit)
        .sort((a, b) => b.score - a.score || (`${a.source}/${a.index}` < `${b.source}/${b.index}` ? -1 : 1)),
    );
  const inOtherTenant = async (of: PlatformUnderTest, tenant: string) =>
    of.as((await of.client.operations.createApiKey({ name: 'there', tenant, teams: ['*'], roles: ['admin'] })).key);

  it('returns the same results there, without embedding its documents again', async () => {
    const there = target.client;
    const export1 = await exported(source.client);
    expect(export1.end).toMatchObject({ kind: 'end', documents: 7 });
    const asked = await standIn.askedDuring(async () => {
      const imported = await importAll(there, export1);
      expect(imported.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'imported'));
      await there.waitFor(imported.map(({ documentId }) => ({ documentId, version: 1 }) as never));
    });
    expect(asked).toEqual([]);
    expect(withoutIds(await hits(there))).toEqual(withoutIds(await hits(source.client)));
    const [one] = (await there.documents.list({ source: 'old.md' })).documents;
    expect(one).toMatchObject({ status: 'indexed', version: 1, labels: { kind: 'river' }, origin: 'Narrative', knowledgeBase: 'animals' });
    expect(await there.knowledgeBases.get('animals')).toMatchObject({
      name: 'Animals',
      scope: 'team:zoo',
      chunking: { markdown: { maxChars: 300 } },
      documents: 7,
    });
    expect((await target.client.operations.verify()).clean).toBe(true);
  });

  it('changes nothing when it is imported again, and its documents can be retried', async () => {
    const there = await inOtherTenant(target, 'again');
    const export1 = await exported(source.client);
    await there.waitFor((await importAll(there, export1)).map(({ documentId }) => ({ documentId, version: 1 }) as never));
    expect(withoutIds(await hits(there))).toEqual(withoutIds(await hits(source.client)));
    // Without retrieval records, which are written asynchronously.
    const changes = async () =>
      (await there.events.list({ limit: 200 })).events
        .filter(({ type }) => !type.startsWith('KnowledgeRetriev'))
        .map(({ position }) => position);
    const before = await changes();
    expect((await importAll(there, export1)).map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'unchanged'));
    expect(before).not.toEqual([]);
    expect(await changes()).toEqual(before);
    const [document] = (await there.documents.list({ source: '0.md' })).documents;
    await there.documents.retry(document?.documentId ?? '');
    await there.waitFor([{ documentId: document?.documentId ?? '', version: 2 } as never]);
    expect((await there.documents.get(document?.documentId ?? '')).status).toBe('indexed');
  });

  it('can be imported into the same tenant under other names', async () => {
    const { head, documents } = await exported(source.client);
    expectProblem(await source.ask('POST /v1/imports/team:copy', { json: { export: head } }), 409, 'Conflict');
    const renamed = {
      head: { ...head, knowledgeBases: head.knowledgeBases.map((base) => ({ ...base, id: 'animals-2' })) },
      documents: documents.replaceAll('"knowledgeBase":"animals"', '"knowledgeBase":"animals-2"'),
      end: undefined,
    };
    const imported = await importAll(source.client, renamed, 'team:copy');
    await source.client.waitFor(imported.map(({ documentId }) => ({ documentId, version: 1 }) as never));
    expect(withoutIds(await hits(source.client, 'team:copy'))).toEqual(withoutIds(await hits(source.client)));
  });

  describe('sealed under the key of the scope', () => {
    const sealedExport = async (): Promise<Readonly<{ head: SealedExportHead; lines: readonly string[]; text: string }>> => {
      const parts: Uint8Array[] = [];
      for await (const bytes of source.client.transfer.exportScope('team:zoo')) parts.push(bytes);
      const text = Buffer.concat(parts).toString();
      const lines = text.trimEnd().split('\n');
      return { head: JSON.parse(lines[0] ?? '') as SealedExportHead, lines: lines.slice(1, -1), text };
    };
    const RENAME = ['animals=sealed-animals'];
    const send = (
      client: PalimpsestClient,
      { head }: Pick<Awaited<ReturnType<typeof sealedExport>>, 'head'>,
      lines: readonly string[],
      scope = 'team:sealed',
      over: object = {},
    ) =>
      client.transfer.importDocuments(scope, Buffer.from(lines.join('\n')), {
        embeddingVersion: head.embeddingVersion,
        exportId: head.exportId,
        exportScope: head.scope,
        rename: RENAME,
        ...over,
      });

    it('shows nothing about its contents, and is imported by the same installation under other names', async () => {
      const sealed = await sealedExport();
      expect(sealed.text).not.toMatch(/Animals|animals|otter|river|Text 0|old\.md|Narrative/);
      expect(sealed.head).toMatchObject({ kind: 'sealed-export', format: 2, scope: 'team:zoo', documents: 7 });
      await source.client.transfer.begin('team:sealed', sealed.head, { rename: RENAME });
      const { documents } = await send(source.client, sealed, sealed.lines);
      expect(documents.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'imported'));
      await source.client.waitFor(documents.map(({ documentId }) => ({ documentId, version: 1 }) as never));
      expect(withoutIds(await hits(source.client, 'team:sealed'))).toEqual(withoutIds(await hits(source.client)));
      expect((await source.client.knowledgeBases.get('sealed-animals')).name).toBe('Animals');
    });

    it('is of no use to another installation, another tenant, or as another export', async () => {
      const [sealed, other] = [await sealedExport(), await sealedExport()];
      const neighbour = await inOtherTenant(source, 'sealed-neighbour');
      for (const client of [target.client, neighbour]) {
        await client.knowledgeBases.create({ id: 'own', scope: 'team:zoo', name: 'Own' }).catch(() => undefined);
        await expect(client.transfer.begin('team:zoo', sealed.head)).rejects.toMatchObject({ status: 400, code: 'InvalidValue' });
        await expect(send(client, sealed, sealed.lines, 'team:zoo')).rejects.toMatchObject({ status: 400, code: 'InvalidValue' });
      }
      await expect(send(source.client, other, sealed.lines)).rejects.toMatchObject({ status: 400 });
      await expect(source.client.transfer.begin('team:sealed', { ...sealed.head, sealed: other.head.sealed })).rejects.toMatchObject({
        status: 400,
      });
      await expect(source.client.transfer.begin('team:sealed', { ...sealed.head, scope: 'team:unknown' })).rejects.toMatchObject({
        status: 404,
      });
    });

    it.each<[string, (lines: string[]) => string[]]>([
      ['a line is missing', (lines) => lines.toSpliced(1, 1)],
      ['two lines are exchanged', (lines) => [lines[1] ?? '', lines[0] ?? '', ...lines.slice(2)]],
      ['a line is repeated', (lines) => lines.toSpliced(1, 0, lines[1] ?? '')],
      ['a line claims another place', (lines) => lines.with(1, (lines[1] ?? '').replace('"line":1', '"line":2')).toSpliced(2, 1)],
      ['a document ends early', (lines) => lines.with(1, (lines[1] ?? '').replace('"last":false', '"last":true'))],
      ['the last line is missing', (lines) => lines.slice(0, -1)],
      ['a line is in the clear', (lines) => lines.with(0, '{"kind":"document-end"}')],
      ['a line is not JSON', (lines) => lines.with(0, '{')],
      ['a line is no Base64', (lines) => lines.with(0, (lines[0] ?? '').replace(/"data":"...../, '"data":"!!!!!'))],
    ])('is refused with the line if %s', async (_, change) => {
      const sealed = await sealedExport();
      const before = (await source.client.documents.list({ knowledgeBase: 'sealed-animals', total: true })).total;
      await expect(send(source.client, sealed, change([...sealed.lines]))).rejects.toMatchObject({
        status: 400,
        code: 'InvalidValue',
        message: expect.stringMatching(/line \d+|body/),
      });
      expect((await source.client.documents.list({ knowledgeBase: 'sealed-animals', total: true })).total).toBe(before);
    });
  });

  it('can be imported after a kill during an import', async () => {
    const data = await aDataFolder();
    let killed = await PlatformUnderTest.start(data, standIn.settings());
    const export1 = await exported(source.client);
    await killed.client.transfer.begin('team:zoo', export1.head);
    // The body ends in the middle of the second document; then the process is killed.
    const lines = export1.documents.split('\n');
    const stopped = lines.slice(
      0,
      lines.findIndex((line, i) => i > lines.indexOf('{"kind":"document-end"}') && line.startsWith('{"kind":"chunk"')) + 1,
    );
    const sending = killed.ask(
      `POST /v1/imports/team:zoo/documents?embeddingVersion=${encodeURIComponent(export1.head.embeddingVersion)}`,
      { body: stopped.join('\n'), headers: { 'content-type': 'application/x-ndjson' } },
    );
    expectProblem(await sending, 400, 'InvalidValue');
    await killed.kill();
    killed = await PlatformUnderTest.start(data, standIn.settings());
    const imported = await importAll(killed.client, export1);
    expect(imported.map(({ status }) => status).sort()).toEqual([
      'imported',
      'imported',
      'imported',
      'imported',
      'imported',
      'imported',
      'unchanged',
    ]);
    await killed.client.waitFor(imported.map(({ documentId }) => ({ documentId, version: 1 }) as never));
    expect(withoutIds(await hits(killed.client))).toEqual(withoutIds(await hits(source.client)));
    expect((await killed.client.operations.verify()).clean).toBe(true);
  });

  it('is refused for another model before anything is written, unless re-embedding is requested', async () => {
    const other = await PlatformUnderTest.start(await aDataFolder(), standIn.settings('another'));
    const { head, documents } = await exported(source.client);
    const before = (await other.client.operations.status()).log;
    expectProblem(await other.ask('POST /v1/imports/team:zoo', { json: { export: head } }), 409, 'EmbeddingModelMismatch');
    expect((await other.client.operations.status()).log).toEqual(before);
    expect(await other.client.transfer.begin('team:zoo', head, { reembed: true })).toMatchObject({ mode: 're-embed' });
    const { documents: accepted } = await other.client.transfer.importDocuments('team:zoo', Buffer.from(documents), { reembed: true });
    expect(accepted.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'accepted'));
    await other.client.waitFor(accepted.map(({ documentId }) => ({ documentId, version: 1 }) as never));
    expect((await other.client.search({ query: 'otters in the river', strategy: 'SparseOnly' })).hits[0]?.text).toMatch(/Otters/);
  });

  it.each([
    ['no body at all', 'POST /v1/imports/team:zoo', {}, 400, 'InvalidValue', /body|export/],
    [
      'a newer format',
      'POST /v1/imports/team:zoo',
      { json: { export: { kind: 'export', format: 2 } } },
      400,
      'InvalidValue',
      /export\.format/,
    ],
    ['JSON instead of NDJSON', 'POST /v1/imports/team:zoo/documents', { json: {} }, 415, 'UnsupportedMediaType', undefined],
    [
      'lines that are not JSON',
      'POST /v1/imports/team:zoo/documents?reembed=true',
      { body: 'hello\n', headers: { 'content-type': 'application/x-ndjson' } },
      400,
      'InvalidValue',
      /line 1/,
    ],
    ['an invalid scope', 'GET /v1/exports/nothing', {}, 400, 'InvalidValue', /scope/],
    [
      'an unknown parameter',
      'POST /v1/imports/team:zoo/documents?force=true',
      { body: '', headers: { 'content-type': 'application/x-ndjson' } },
      400,
      'InvalidValue',
      /force/,
    ],
  ] as const)('%s is refused with an error', async (_, route, options, status, code, field) => {
    expectProblem(await source.ask(route, options), status, code, field === undefined ? {} : { field });
  });

  it('is neither exported from nor imported into scopes that the caller may not access', async () => {
    const { head } = await exported(source.client);
    const blue = await source.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['admin'] });
    for (const route of ['GET /v1/exports/team:zoo', 'POST /v1/imports/team:zoo'])
      expectProblem(
        await source.ask(route, { key: blue.key, ...(route.startsWith('POST') ? { json: { export: head } } : {}) }),
        404,
        'NotFound',
      );
    const there = await inOtherTenant(source, 'empty');
    await expect(there.transfer.exportScope('team:zoo').next()).rejects.toMatchObject({ status: 404, code: 'NotFound' });
  });
});
