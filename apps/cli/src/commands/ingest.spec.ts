import { FakePlatform, problem } from '../../test/fake-platform.ts';
import type { ReceivedRequest } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';
import type { Ran, RunOptions } from '../../test/run.ts';

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  platform = await FakePlatform.open();
  folder = await aFolder({ 'docs/good.md': '# Good', 'docs/bad.md': '# Bad', 'docs/same.md': '# Same' });
  platform
    .on('GET /v1/knowledge-bases/default', () => ({ json: { id: 'default', scope: 'deployment' } }))
    .on('POST /v1/documents', (request) => ({ status: 202, json: { documents: [submission(request)], position: '1' } }))
    .on('GET /v1/documents/*', ({ route }) => ({ json: settled(route.split('/').at(-1) ?? '') }));
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});

const field = ({ body }: ReceivedRequest, name: string): string | undefined => new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(body)?.[1];
const sourceOf = (request: ReceivedRequest): string => field(request, 'sourceId') ?? '';
const submission = (request: ReceivedRequest) => {
  const sourceId = sourceOf(request);
  const status = sourceId.endsWith('same.md') ? 'skipped' : 'accepted';
  return { documentId: sourceId.split('/').at(-1)?.replace('.md', ''), sourceId, version: 1, status };
};
const settled = (documentId: string) =>
  documentId === 'bad'
    ? { documentId, version: 1, status: 'failed', reason: 'Unparsable', detail: 'the file is damaged', chunks: 0 }
    : { documentId, version: 1, status: 'indexed', chunks: 3, failedChunks: 1, withoutVector: 0 };
const ingest = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  run(['ingest', ...args], { cwd: folder.path, env: { PALIMPSEST_URL: platform.url }, ...options });

describe('palimpsest ingest', () => {
  it('reports what was indexed, skipped and why something failed, and exits with 1 after a failure', async () => {
    const { code, out } = await ingest(['docs']);
    expect(code).toBe(1);
    expect(out).toMatch(/indexed\s+1\s+3 chunks, 1 refused by the model/);
    expect(out).toMatch(/skipped\s+1\s+unchanged/);
    expect(out).toMatch(/failed\s+1/);
    expect(out).toContain('Unparsable (1)\n  docs/bad.md: the file is damaged');
  });

  it('exits with 0 when everything succeeded', async () => {
    expect(await ingest(['docs/good.md', 'docs/same.md'])).toMatchObject({ code: 0 });
  });

  it('lists what it left out of a folder, why, and how to send it', async () => {
    const secrets = await aFolder({ 'notes/good.md': '# Good', 'notes/.env': 'PASSWORD=x', 'notes/.git/config': '' });
    const { code, out } = await ingest(['notes'], { cwd: secrets.path });
    const asJson = await ingest(['notes', '--json'], { cwd: secrets.path });
    const sentByDefault = platform.requestsTo('POST /v1/documents').map(sourceOf);
    const named = await ingest(['notes/.env'], { cwd: secrets.path });
    await ingest(['notes', '--include-secrets', '--include-hidden'], { cwd: secrets.path });
    await secrets.remove();
    expect(code).toBe(0);
    expect(out).toContain(
      'left out (2)\n  notes/.env: its name is that of a file with passwords or keys (--include-secrets sends it)\n  notes/.git: it is hidden (--include-hidden sends it)\n',
    );
    expect(JSON.parse(asJson.out)).toMatchObject({
      files: 1,
      leftOut: [
        { path: 'notes/.env', reason: 'secret' },
        { path: 'notes/.git', reason: 'hidden' },
      ],
    });
    expect(sentByDefault).toEqual(['notes/good.md', 'notes/good.md']);
    expect(named.err).toContain('warning: notes/.env may hold passwords or keys');
    expect(platform.requestsTo('POST /v1/documents').slice(3).map(sourceOf).sort()).toEqual([
      'notes/.env',
      'notes/.git/config',
      'notes/good.md',
    ]);
  });

  it('lists what was left out of a folder without other files', async () => {
    const secrets = await aFolder({ 'notes/.env': 'PASSWORD=x' });
    const { code, err } = await ingest(['notes'], { cwd: secrets.path });
    await secrets.remove();
    expect({ code, err }).toEqual({
      code: 2,
      err: 'palimpsest: no files to ingest in notes; left out: notes/.env: its name is that of a file with passwords or keys (--include-secrets sends it)\n',
    });
  });

  it('prints one JSON document on stdout and its progress on stderr', async () => {
    const { out, err } = await ingest(['docs', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      ...{ knowledgeBase: 'default', files: 3, indexed: 1, skipped: 1, failed: 1, chunks: 3, failedChunks: 1, withoutVector: 0 },
      failures: [{ source: 'docs/bad.md', code: 'Unparsable', detail: 'the file is damaged' }],
    });
    expect(err).toContain('sent 3 of 3');
  });

  it('sends labels, origin, force and each file under its own source id', async () => {
    await ingest(['docs', '--label', 'team=red', '--label', 'year=2026', '--origin', 'Note', '--force']);
    const sent = platform.requestsTo('POST /v1/documents');
    expect(sent.map(sourceOf).sort()).toEqual(['docs/bad.md', 'docs/good.md', 'docs/same.md']);
    expect(sent.map((request) => [field(request, 'labels'), field(request, 'origin'), field(request, 'force')])).toEqual(
      Array(3).fill(['{"team":"red","year":"2026"}', 'Note', 'true']),
    );
  });

  it('waits when the queue is full and loses nothing', async () => {
    let refusals = 2;
    platform.on('POST /v1/documents', (request) =>
      refusals-- > 0
        ? problem(429, 'Overloaded', 'the queue is full', { 'retry-after': '0' })
        : { status: 202, json: { documents: [submission(request)], position: '1' } },
    );
    const { code, out, err } = await ingest(['docs/good.md', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ indexed: 1, failed: 0 });
    expect(err).toContain('the server is busy');
  });

  it('sends a file again that the server rejected because of load', async () => {
    const answers = [{ status: 'rejected', error: { code: 'Overloaded', detail: 'full' } }, {}];
    platform.on('POST /v1/documents', (request) => ({
      status: 202,
      json: { documents: [{ ...submission(request), ...answers.shift() }], position: '1' },
    }));
    expect(await ingest(['docs/good.md'])).toMatchObject({ code: 0 });
    expect(platform.requestsTo('POST /v1/documents')).toHaveLength(2);
  });

  it('waits while the server is unavailable or unreachable, reports it, and loses nothing', async () => {
    const refusals = [problem(503, 'Unavailable', 'try again', { 'retry-after': '0' }), undefined];
    platform.on('POST /v1/documents', (request) => {
      if (refusals.length === 0) return { status: 202, json: { documents: [submission(request)], position: '1' } };
      const refusal = refusals.shift();
      if (!refusal) platform.disconnect();
      return refusal ?? {};
    });
    const { code, out, err } = await ingest(['docs/good.md', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ indexed: 1, failed: 0 });
    expect(err).toContain('the server is not available, next try in');
    expect(err).toContain('the server cannot be reached, next try in');
  });

  it.each(['Overloaded', 'RateLimited', 'Unavailable', 'NotCaughtUp'])('sends a file again that was rejected as %s', async (code) => {
    const answers = [{ status: 'rejected', error: { code, detail: 'try again' } }, {}];
    platform.on('POST /v1/documents', (request) => ({
      status: 202,
      json: { documents: [{ ...submission(request), ...answers.shift() }], position: '1' },
    }));
    expect(await ingest(['docs/good.md'])).toMatchObject({ code: 0 });
  });

  it('waits for a document that was accepted by an attempt without a response', async () => {
    const statuses = ['', 'skipped'];
    platform.on('POST /v1/documents', (request) => {
      const status = statuses.shift();
      return status
        ? { status: 202, json: { documents: [{ ...submission(request), status }], position: '1' } }
        : problem(503, 'Unavailable', 'try again', { 'retry-after': '0' });
    });
    const { out } = await ingest(['docs/good.md', '--json']);
    expect(JSON.parse(out)).toMatchObject({ indexed: 1, skipped: 0 });
  });

  it('stops when nothing was accepted within the time limit, and lists what was not accepted and how to continue', async () => {
    platform.on('POST /v1/documents', () => problem(503, 'Unavailable', 'try again', { 'retry-after': '0' }));
    const { code, out } = await ingest(['docs', '--retry-for', '0']);
    expect(code).toBe(1);
    for (const name of ['bad', 'good', 'same']) expect(out).toContain(`docs/${name}.md: the server is not available`);
    expect(out).toContain('3 documents were not accepted. Run the same command again to continue');
    expect(JSON.parse((await ingest(['docs', '--retry-for', '0', '--json'])).out)).toMatchObject({ files: 3, failed: 3, notAccepted: 3 });
  });

  it('counts a refused file as failed and continues with the others', async () => {
    platform.on('POST /v1/documents', (request) =>
      sourceOf(request).endsWith('bad.md')
        ? problem(413, 'TooLarge', 'the file is larger than 50 MiB')
        : { status: 202, json: { documents: [submission(request)], position: '1' } },
    );
    const { code, out } = await ingest(['docs', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ indexed: 1, skipped: 1, failed: 1, failures: [{ code: 'TooLarge' }] });
  });

  it('does not wait with --no-wait', async () => {
    const { code, out } = await ingest(['docs', '--no-wait', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ accepted: 2, skipped: 1, indexed: 0 });
    expect(platform.requestsTo('GET /v1/documents/good')).toHaveLength(0);
  });

  it('creates a missing knowledge base in the given scope', async () => {
    platform.on('POST /v1/knowledge-bases', () => ({ status: 201, json: { id: 'handbook' } }));
    await ingest(['docs/good.md', '--knowledge-base', 'handbook', '--scope', 'team:red']);
    expect(platform.requestsTo('POST /v1/knowledge-bases')[0]?.json).toEqual({ id: 'handbook', scope: 'team:red' });
    expect(platform.requestsTo('POST /v1/documents').map((request) => field(request, 'knowledgeBase'))).toEqual(['handbook']);
  });

  it('uses a knowledge base that another process creates at the same time', async () => {
    let created = false;
    let requests = 0;
    platform
      // The first request after the conflict is too early: the server does not show the knowledge base yet.
      .on('GET /v1/knowledge-bases/handbook', () =>
        created && ++requests > 1 ? { json: { id: 'handbook', scope: 'deployment' } } : problem(404, 'NotFound', 'no knowledge base'),
      )
      .on('POST /v1/knowledge-bases', () => ((created = true), problem(409, 'Conflict', 'it exists already, with other settings')));
    expect(await ingest(['docs/good.md', '--knowledge-base', 'handbook'])).toMatchObject({ code: 0 });
  });

  it('refuses another scope for an existing knowledge base', async () => {
    const { code, err } = await ingest(['docs', '--scope', 'team:red']);
    expect(code).toBe(2);
    expect(err).toContain('"default" belongs to the scope deployment, not to team:red');
    expect(platform.requestsTo('POST /v1/documents')).toHaveLength(0);
  });

  it('stops at the first file when the key may not write', async () => {
    platform.on('POST /v1/documents', () => problem(403, 'Forbidden', 'the role writer is needed'));
    const { code, err } = await ingest(['docs', '--concurrency', '1']);
    expect(code).toBe(2);
    expect(err).toContain('palimpsest: the role writer is needed (Forbidden)');
    expect(platform.requestsTo('POST /v1/documents')).toHaveLength(1);
  });

  it('exits with 130 when it is interrupted', async () => {
    const abort = new AbortController();
    platform.on('GET /v1/documents/*', async () => {
      const { Interrupted } = await import('../failure.ts');
      abort.abort(new Interrupted());
      return { json: { documentId: 'good', version: 1, status: 'processing' } };
    });
    const { code, err } = await ingest(['docs/good.md'], { signal: abort.signal });
    expect(code).toBe(130);
    expect(err).toContain('interrupted; accepted documents are kept');
  });

  it.each([
    [['nowhere'], 'nowhere: file or folder not found'],
    [['docs', '--label', 'red'], 'Must be <name>=<value>.'],
    [['docs', '--origin', 'Poem'], 'Allowed choices are UserContent'],
    [['docs', '--concurrency', '0'], 'Must be a whole number from 1 to 64.'],
  ])('refuses %j with exit code 2', async (args, message) => {
    const { code, err } = await ingest(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
