import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakePlatform, problem } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

const HEAD = { kind: 'export', format: 1, scope: 'team:red', embeddingVersion: 'fake:m/2', exportedAt: '2026-01-01T00:00:00Z', documents: 2, knowledgeBases: [{ id: 'notes', name: 'Notes', description: '', chunking: {}, status: 'active' }] };
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
    // A key, since a passphrase takes its time on purpose.
    await writeFile(join(cwd, 'key'), '7f'.repeat(32));
    server.on('GET /v1/exports/team:red', () => ({ text: lines, headers: { 'content-type': 'application/x-ndjson' } }));
    const imported = ({ body }: { body: string }) => ({ json: { documents: [...body.matchAll(/"sourceId":"([^"]+)"/g)].map(([, sourceId]) => ({ sourceId, status: 'imported', version: 1 })), position: '1' } });
    for (const scope of ['team:red', 'team:blue'])
      server.on(`POST /v1/imports/${scope}`, () => ({ json: { scope, embeddingVersion: 'fake:m/2', mode: 'vectors', knowledgeBases: [] } })).on(`POST /v1/imports/${scope}/documents`, imported);
  });
  afterEach(async () => {
    await server.close();
    await rm(cwd, { recursive: true });
  });

  const cli = (...args: readonly string[]) => run([...args, '--key-file', 'key'], { cwd, env: { PALIMPSEST_URL: server.url } });

  it('bring a scope into a sealed file, and out of it, in requests of a bounded size', async () => {
    expect(await cli('export', '--scope', 'team:red', 'r.export')).toMatchObject({ code: 0, out: expect.stringMatching(/exported team:red: 2 documents, 2 chunks, 1 knowledge bases/) });
    expect((await readFile(join(cwd, 'r.export'))).includes('sourceId')).toBe(false);
    expect(await cli('import', 'r.export')).toMatchObject({ code: 0, out: expect.stringMatching(/team:red: 2 documents imported with their vectors/) });
    expect(server.askedFor('POST /v1/imports/team:red')[0]?.json).toEqual({ export: HEAD, reembed: false });
    const sent = server.askedFor('POST /v1/imports/team:red/documents');
    expect(sent.map(({ body }) => body).join('')).toBe(linesOf(...document('a.md', 25), ...document('b.md')));
    expect(sent).toHaveLength(2);
    expect(sent[0]?.query.get('embeddingVersion')).toBe('fake:m/2');
  });

  it('take another scope, other names and other wishes along', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    await cli('import', 'r.export', '--scope', 'team:blue', '--rename', 'notes=blue-notes', '--overwrite');
    const [begun, sent] = [server.askedFor('POST /v1/imports/team:blue')[0]?.json, server.askedFor('POST /v1/imports/team:blue/documents')];
    expect(begun?.['export']).toMatchObject({ knowledgeBases: [{ id: 'blue-notes' }] });
    expect(sent.every(({ body, query }) => !body.includes('"notes"') && body.includes('"knowledgeBase":"blue-notes"') && query.get('overwrite') === 'true')).toBe(true);
    expect(await cli('import', 'r.export', '--rename', 'none=x')).toMatchObject({ code: 2, err: expect.stringMatching(/--rename none: the export has notes/) });
    expect(await cli('import', 'r.export', '--rename', 'none')).toMatchObject({ code: 2, err: expect.stringMatching(/expected <old>=<new>/) });
  });

  it('tell what was not imported, and why', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    server.on('POST /v1/imports/team:red/documents', ({ body }) => ({ json: { documents: body.includes('a.md') ? [{ sourceId: 'a.md', status: 'rejected', error: { code: 'Conflict', detail: 'changed' } }] : [{ sourceId: 'b.md', status: 'kept', version: 3 }] } }));
    expect(await cli('import', 'r.export')).toMatchObject({ code: 1, out: expect.stringMatching(/1 documents are here with other content[\s\S]*not imported a\.md: changed \(Conflict\)/) });
    server.on('POST /v1/imports/team:red', () => problem(409, 'EmbeddingModelMismatch', 'another model'));
    expect(await cli('import', 'r.export')).toMatchObject({ code: 2, err: expect.stringContaining('palimpsest: another model (EmbeddingModelMismatch)') });
  });

  it.each([
    ['broke off', WHOLE.slice(0, -60)],
    ['holds fewer documents than it says', linesOf(HEAD, ...document('a.md'), { kind: 'end', documents: 2, chunks: 2 })],
    ['is none', linesOf({ kind: 'document' })],
    ['is of a newer format', linesOf({ ...HEAD, format: 2 })],
    ['goes on behind its end', `${WHOLE}${linesOf({ kind: 'document' })}`],
  ])('leave no file of an export that %s', async (_, wrong) => {
    lines = wrong;
    const { code, err } = await cli('export', '--scope', 'team:red', 'r.export');
    expect({ code, lines: err.trim().split('\n').filter((line) => line.startsWith('palimpsest:')) }).toEqual({ code: 2, lines: [expect.stringMatching(/^palimpsest: /)] });
    expect(await readdir(cwd)).toEqual(['key']);
  });

  it('send nothing of a file that is damaged, however late in it', async () => {
    await cli('export', '--scope', 'team:red', 'r.export');
    await truncate(join(cwd, 'r.export'), 1_000_000);
    expect(await cli('import', 'r.export')).toMatchObject({ code: 2, err: expect.stringMatching(/cut off/) });
    await writeFile(join(cwd, 'empty'), '');
    expect(await cli('import', 'empty')).toMatchObject({ code: 2, err: expect.stringMatching(/the file is empty/) });
    expect(server.asked.filter(({ route }) => route.startsWith('POST'))).toEqual([]);
    expect(await cli('export', '--scope', 'team:red', 'r.export')).toMatchObject({ code: 2, err: expect.stringMatching(/is there already/) });
  });
});
