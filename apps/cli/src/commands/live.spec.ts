import { FakePlatform, problem } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => (platform = await FakePlatform.open()));
afterEach(() => platform.close());

const event = (position: string, over: object = {}) => ({
  position,
  type: 'DocumentIndexed',
  schemaVersion: 1,
  category: 'document',
  stream: 'document-default-d1',
  revision: 3,
  recordedAt: '2026-11-22T08:00:00.000Z',
  actor: 'ingestion-worker',
  correlationId: 'r',
  bytes: 99,
  content: 'open',
  data: { documentId: 'd1' },
  ...over,
});
const cli = (...args: string[]) => run([...args, '--url', platform.url, '--api-key', 'plk_x']);

describe('palimpsest events', () => {
  it('lists them with filters, over several pages', async () => {
    platform.on('GET /v1/events', ({ query }) => ({
      json: query.has('cursor')
        ? { events: [event('1', { content: 'withheld', stream: undefined, data: undefined })], head: '9' }
        : { events: [event('2')], next: 'p2', head: '9' },
    }));
    const { code, out } = await cli(
      'events',
      '--type',
      'DocumentIndexed',
      '--type',
      'DocumentFailed',
      '--document',
      'd1',
      '--kb',
      'kb',
      '--limit',
      '5',
      '--oldest-first',
    );
    expect(code).toBe(0);
    const [request] = platform.requestsTo('GET /v1/events');
    expect(request?.query.getAll('type')).toEqual(['DocumentIndexed', 'DocumentFailed']);
    expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
      document: 'd1',
      knowledgeBase: 'kb',
      direction: 'forwards',
      limit: '6',
    });
    expect(out).toMatch(/2 .*DocumentIndexed .*document-default-d1/);
    expect(out).toMatch(/1 .*DocumentIndexed .*document \(withheld\)/);
    expect(JSON.parse((await cli('events', '--limit', '1', '--json')).out)).toEqual({ events: [event('2')], more: true });
    expect((await cli('events', '--limit', '1')).err).toBe('the first 1 events, more exist; use --limit to see more\n');
    expect((await cli('events', '--limit', '2')).err).toBe('');
  });

  it('shows one event with its data', async () => {
    platform.on('GET /v1/events/7', () => ({ json: event('7') }));
    expect((await cli('events', 'show', '7')).out).toMatch(/position +7\n(.*\n)+\{\n {2}"documentId": "d1"\n\}/);
    expect(JSON.parse((await cli('events', 'show', '7', '--json')).out)).toEqual(event('7'));
  });

  it('reports a refusal of the server in one line', async () => {
    platform.on('GET /v1/events/8', () => problem(404, 'NotFound', 'event "8" not found'));
    expect(await cli('events', 'show', '8')).toMatchObject({ code: 2, out: '', err: 'palimpsest: event "8" not found (NotFound)\n' });
    expect((await cli('events', '--limit', '0')).code).toBe(2);
    platform.on('GET /v1/events/live', () => problem(403, 'Forbidden', 'this needs the role "reader"'));
    expect(await cli('events', '--follow', '--document', 'd1')).toMatchObject({
      code: 2,
      err: 'palimpsest: this needs the role "reader" (Forbidden)\n',
    });
  });
});

describe('palimpsest knowledge-bases', () => {
  it.each([
    ['pause', /paused kb; `palimpsest knowledge-bases resume kb`/],
    ['resume', /resumed kb/],
  ])('%s', async (verb, text) => {
    platform.on(`POST /v1/knowledge-bases/kb/${verb}`, () => ({ json: { id: 'kb', status: 'any' } }));
    const { code, out } = await cli('kb', verb, 'kb');
    expect(code).toBe(0);
    expect(out).toMatch(text);
  });

  it('create and configure pass the language on and omit missing options', async () => {
    platform
      .on('POST /v1/knowledge-bases', () => ({ json: { id: 'kb', scope: 'deployment' } }))
      .on('PATCH /v1/knowledge-bases/kb', () => ({ json: { id: 'kb' } }));
    await cli('kb', 'create', 'kb', '--language', 'de');
    expect(platform.requestsTo('POST /v1/knowledge-bases')[0]?.json).toEqual({ id: 'kb', language: 'de' });
    expect(await cli('kb', 'configure', 'kb', '--language', 'und')).toMatchObject({ code: 0, out: 'configured kb\n' });
    expect(platform.requestsTo('PATCH /v1/knowledge-bases/kb')[0]?.json).toEqual({ language: 'und' });
  });
});

describe('palimpsest overview', () => {
  it('prints the figures, and marks unknown ones', async () => {
    const latency = { count: 3, mean: 2, p50: 1.5, p95: 4 };
    const health = {
      status: 'degraded',
      reasons: ['catching-up'],
      windowSeconds: 60,
      embedding: { count: 0, failures: 2 },
      queue: { capacity: 10 },
      flush: latency,
      retrievals: { hit: 3, miss: 2, empty: 1, latency },
      projection: { lagPositions: 5, lagMs: 70 },
    };
    platform.on('GET /v1/overview', () => ({
      json: {
        of: 'installation',
        documents: { pending: 4, processing: 0, indexed: 1, failed: 0, total: 5, held: 4 },
        chunks: 9,
        health,
        series: { bucketSeconds: 10, buckets: [] },
      },
    }));
    const { out } = await cli('overview');
    for (const line of [
      'degraded: catching-up',
      '5 (installation): 1 indexed, 4 pending, 0 processing, 0 failed, 4 held back',
      'unknown of 10',
      '3, mean 2 ms, p50 1.5 ms, p95 4 ms',
      '3 relevant, 2 not relevant, 1 without results',
      'none, 2 failed',
      '5 positions behind, 70 ms',
    ])
      expect(out).toContain(line);
  });

  it('shows a tenant only its own figures', async () => {
    const health = {
      status: 'ok',
      reasons: [],
      windowSeconds: 60,
      retrievals: { hit: 3, miss: 2, empty: 1, latency: { count: 0 } },
      documents: { indexed: 4, failed: 1 },
    };
    const documents = { pending: 0, processing: 0, indexed: 1, failed: 0, total: 1, held: 0 };
    platform.on('GET /v1/overview', () => ({
      json: { of: 'readable', documents, chunks: 9, health, series: { bucketSeconds: 10, buckets: [] } },
    }));
    const { out } = await cli('overview');
    for (const line of ['1 (readable): 1 indexed', '3 relevant, 2 not relevant, 1 without results', '4 documents indexed, 1 failed'])
      expect(out).toContain(line);
    for (const word of ['queue', 'embedding', 'flushes', 'projection']) expect(out).not.toContain(word);
  });
});

describe('palimpsest audit', () => {
  it('lists who did what, page by page, with the number of requests that were not listed', async () => {
    const entry = {
      actor: 'key:ci',
      method: 'POST',
      operation: '/v1/search',
      targets: ['team:red'],
      status: 403,
      problem: 'Forbidden',
      count: 2,
      at: '2026-11-22T08:00:00.000Z',
      from: '192.0.2.1',
      requestId: 'r',
      dropped: 3,
    };
    platform.on('GET /v1/audit', ({ query }) => ({
      json: query.get('cursor') === 'r4' ? { entries: [{ ...entry, operation: '/v1/context' }] } : { entries: [entry], next: 'r4' },
    }));
    const { out } = await cli('audit', '--outcome', 'denied');
    for (const text of ['key:ci', '192.0.2.1', 'POST /v1/search', 'POST /v1/context', 'team:red', '403 Forbidden', '2, 3 more not listed'])
      expect(out).toContain(text);
    expect((await cli('audit')).err).toBe('');
    const limited = await cli('audit', '--limit', '1');
    expect(limited.err).toBe('the first 1 entries, more exist; use --limit to see more\n');
    expect(limited.out).not.toContain('/v1/context');
    expect(JSON.parse((await cli('audit', '--limit', '1', '--json')).out)).toMatchObject({
      entries: [{ operation: '/v1/search' }],
      more: true,
    });
  });
});
