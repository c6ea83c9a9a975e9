import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakePlatform, problem } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

const HEAD = {
  kind: 'export',
  format: 1,
  scope: 'team:red',
  embeddingVersion: 'fake:m/2',
  exportedAt: '2026-01-01T00:00:00Z',
  documents: 2,
  knowledgeBases: [{ id: 'notes', name: 'Notes', description: '', chunking: {}, status: 'active' }],
};
const document = (sourceId: string, pieces = 1): readonly object[] => [
  { kind: 'document', knowledgeBase: 'notes', sourceId },
  ...Array.from({ length: pieces }, () => ({ kind: 'bytes', data: 'A'.repeat(200_000) })),
  { kind: 'chunk', index: 0 },
  { kind: 'document-end' },
];
const linesOf = (...records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const WHOLE = linesOf(HEAD, ...document('a.md', 25), ...document('b.md'), { kind: 'end', documents: 2, chunks: 2 });

describe('palimpsest export and import', () => {
  let cwd: string;
  let server: FakePlatform;
  let lines = WHOLE;

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'palimpsest-cli-transfer-'));
    lines = WHOLE;
    server = await FakePlatform.open();
    // A key, because deriving one from a passphrase is slow on purpose.
    await writeFile(join(cwd, 'key'), '7f'.repeat(32));
    server.on('GET /v1/exports/team:red', () => ({ text: lines, headers: { 'content-type': 'application/x-ndjson' } }));
    const imported = ({ body }: { body: string }) => ({
      json: {
        documents: [...body.matchAll(/"sourceId":"([^"]+)"/g)].map(([, sourceId]) => ({ sourceId, status: 'imported', version: 1 })),
        position: '1',
      },
    });
    for (const scope of ['team:red', 'team:blue'])
      server
        .on(`POST /v1/imports/${scope}`, () => ({ json: { scope, embeddingVersion: 'fake:m/2', mode: 'vectors', knowledgeBases: [] } }))
        .on(`POST /v1/imports/${scope}/documents`, imported);
  });
  afterEach(async () => {
    await server.close();
    await rm(cwd, { recursive: true });
  });

  const plain = (...args: readonly string[]) => run(args, { cwd, env: { PALIMPSEST_URL: server.url } });
  const cli = (...args: readonly string[]) => plain(...args, '--key-file', 'key', ...(args[0] === 'export' ? ['--portable'] : []));

  it('write a scope to a sealed file and import it in requests of a bounded size', async () => {
    expect(await cli('export', '--scope', 'team:red', 'r.export')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/exported team:red: 2 documents, 2 chunks, 1 knowledge bases/),
    });
    expect((await readFile(join(cwd, 'r.export'))).includes('sourceId')).toBe(false);
    expect(await cli('import', 'r.export')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/team:red: 2 documents imported with their vectors/),
    });
    expect(server.requestsTo('POST /v1/imports/team:red')[0]?.json).toEqual({ export: HEAD, reembed: false });
    const sent = server.requestsTo('POST /v1/imports/team:red/documents');
    expect(sent.map(({ body }) => body).join('')).toBe(linesOf(...document('a.md', 25), ...document('b.md')));
    expect(sent).toHaveLength(2);
    expect(sent[0]?.query.get('embeddingVersion')).toBe('fake:m/2');
  });

  it('pass on another scope, other names and other options', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    await cli('import', 'r.export', '--scope', 'team:blue', '--rename', 'notes=blue-notes', '--overwrite');
    const [begun, sent] = [
      server.requestsTo('POST /v1/imports/team:blue')[0]?.json,
      server.requestsTo('POST /v1/imports/team:blue/documents'),
    ];
    expect(begun?.['export']).toMatchObject({ knowledgeBases: [{ id: 'blue-notes' }] });
    expect(
      sent.every(
        ({ body, query }) =>
          !body.includes('"notes"') && body.includes('"knowledgeBase":"blue-notes"') && query.get('overwrite') === 'true',
      ),
    ).toBe(true);
    expect(await cli('import', 'r.export', '--rename', 'none=x')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--rename none: the export has notes/),
    });
    expect(await cli('import', 'r.export', '--rename', 'none')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Must be <old>=<new>/),
    });
  });

  it('report what was not imported, and why', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    server.on('POST /v1/imports/team:red/documents', ({ body }) => ({
      json: {
        documents: body.includes('a.md')
          ? [{ sourceId: 'a.md', status: 'rejected', error: { code: 'Conflict', detail: 'changed' } }]
          : [{ sourceId: 'b.md', status: 'kept', version: 3 }],
      },
    }));
    expect(await cli('import', 'r.export')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/1 documents exist with other content[\s\S]*not imported a\.md: changed \(Conflict\)/),
    });
    server.on('POST /v1/imports/team:red', () => problem(409, 'EmbeddingModelMismatch', 'another model'));
    expect(await cli('import', 'r.export')).toMatchObject({
      code: 2,
      err: expect.stringContaining('palimpsest: another model (EmbeddingModelMismatch)'),
    });
  });

  it.each([
    ['is cut off', WHOLE.slice(0, -60)],
    ['contains fewer documents than it declares', linesOf(HEAD, ...document('a.md'), { kind: 'end', documents: 2, chunks: 2 })],
    ['has no head', linesOf({ kind: 'document' })],
    ['has a newer format', linesOf({ ...HEAD, format: 2 })],
    ['continues after its end', `${WHOLE}${linesOf({ kind: 'document' })}`],
  ])('leave no file of an export that %s', async (_, wrong) => {
    lines = wrong;
    const { code, err } = await cli('export', '--scope', 'team:red', 'r.export');
    expect({
      code,
      lines: err
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('palimpsest:')),
    }).toEqual({ code: 2, lines: [expect.stringMatching(/^palimpsest: /)] });
    expect(await readdir(cwd)).toEqual(['key']);
  });

  it('send nothing of a damaged file, even if the damage is near its end', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    await truncate(join(cwd, 'r.export'), 1_000_000);
    expect(await cli('import', 'r.export')).toMatchObject({ code: 2, err: expect.stringMatching(/truncated/) });
    await writeFile(join(cwd, 'empty'), '');
    expect(await cli('import', 'empty')).toMatchObject({ code: 2, err: expect.stringMatching(/the file is empty/) });
    expect(server.requests.filter(({ route }) => route.startsWith('POST'))).toEqual([]);
    expect(await cli('export', '--scope', 'team:red', 'r.export')).toMatchObject({ code: 2, err: expect.stringMatching(/already exists/) });
  });

  describe('sealed under the key of the scope', () => {
    const SEALED = {
      kind: 'sealed-export',
      format: 2,
      scope: 'team:red',
      exportId: '3f0c3e0e-9dc0-41d1-b245-5ffdce74fad2',
      embeddingVersion: 'fake:m/2',
      exportedAt: '2026-01-01T00:00:00Z',
      documents: 2,
      sealed: 'AAAA',
    };
    const sealed = (documents: number, count: number, data = 'QUFB') =>
      Array.from({ length: count }, (_, line) => ({ kind: 'sealed', document: documents, line, last: line === count - 1, data }));
    const END = { kind: 'end', documents: 2, chunks: 2 };
    const ALL = linesOf(SEALED, ...sealed(0, 25, 'A'.repeat(200_000)), ...sealed(1, 3), END);

    beforeEach(() => (lines = ALL));

    it('are written as they are, without a secret, and imported with their id, scope and new names', async () => {
      expect(await plain('export', '--scope', 'team:red', 'r.export')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/exported team:red: 2 documents, 2 chunks, .*only this installation can import it/),
      });
      expect(server.requestsTo('GET /v1/exports/team:red')[0]?.query.get('portable')).toBeNull();
      expect(await readFile(join(cwd, 'r.export'), 'utf8')).toBe(ALL);
      expect(await plain('import', 'r.export', '--scope', 'team:blue', '--rename', 'notes=blue-notes')).toMatchObject({ code: 0 });
      expect(server.requestsTo('POST /v1/imports/team:blue')[0]?.json).toEqual({
        export: SEALED,
        reembed: false,
        rename: ['notes=blue-notes'],
      });
      const sent = server.requestsTo('POST /v1/imports/team:blue/documents');
      expect(sent.map(({ body }) => body).join('')).toBe(linesOf(...sealed(0, 25, 'A'.repeat(200_000)), ...sealed(1, 3)));
      expect(sent).toHaveLength(2);
      expect(sent.map(({ query }) => [query.get('exportId'), query.get('exportScope'), query.getAll('rename')])).toEqual(
        sent.map(() => [SEALED.exportId, 'team:red', ['notes=blue-notes']]),
      );
    });

    it('refuse a secret, which would protect nothing', async () =>
      expect(await plain('export', '--scope', 'team:red', 'r.export', '--key-file', 'key')).toMatchObject({
        code: 2,
        err: expect.stringMatching(/--key-file need --portable/),
      }));

    it.each([
      ['is cut off', ALL.slice(0, -60)],
      ['lacks a line of a document', linesOf(SEALED, ...sealed(0, 3).slice(1), ...sealed(1, 3), END)],
      ['lacks the last line of a document', linesOf(SEALED, ...sealed(0, 3).slice(0, 2), ...sealed(1, 3), END)],
      ['lacks a document', linesOf(SEALED, ...sealed(0, 3), END)],
      ['contains another line', linesOf(SEALED, { kind: 'document' }, END)],
      ['continues after its end', `${ALL}${linesOf(...sealed(2, 1))}`],
    ])('leave no file of an export that %s', async (_, wrong) => {
      lines = wrong;
      expect(await plain('export', '--scope', 'team:red', 'r.export')).toMatchObject({
        code: 2,
        err: expect.stringMatching(/palimpsest: /),
      });
      expect(await readdir(cwd)).toEqual(['key']);
    });
  });
});
