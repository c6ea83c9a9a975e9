import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakePlatform } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

describe('palimpsest verify', () => {
  const partitions = [{ scope: 'deployment', tenant: 'default', generation: 'g1', chunks: 4, withoutVector: 0, fingerprint: 'abc' }];

  it('exits with 0 when the indexes are clean', async () => {
    platform.on('POST /v1/admin/verify', () => ({ json: { clean: true, position: '7', partitions, differences: [] } }));
    expect(await palimpsest('verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('clean: the indexes match the log'),
    });
  });

  it('exits with 1 and lists damaged keys and uploads', async () => {
    const damaged = {
      clean: false,
      position: '7',
      partitions,
      differences: [],
      keyDamage: ['the master key file is another one'],
      uploadDamage: ['the upload of document d is missing'],
    };
    platform.on('POST /v1/admin/verify', () => ({ json: damaged }));
    const { code, out } = await palimpsest('verify');
    expect(code).toBe(1);
    expect(out).toContain(
      '1 keys are missing or damaged\n  the master key file is another one\n1 uploads are missing or damaged\n  the upload of document d is missing\n',
    );
    expect(out).toContain('the indexes match the log at position 7');
    platform.on('POST /v1/admin/verify', () => ({ json: { ...damaged, partitions: [] } }));
    expect((await palimpsest('verify')).out).toContain('the indexes were not compared');
  });

  it('exits with 1 and lists the differences when they are not clean', async () => {
    const differences = Array.from({ length: 25 }, (_, n) => ({
      store: 'vectors',
      kind: 'missing',
      chunkId: `c${n}`,
      scope: 'deployment',
    }));
    platform.on('POST /v1/admin/verify', () => ({ json: { clean: false, position: '7', partitions, differences } }));
    const { code, out } = await palimpsest('verify');
    expect(code).toBe(1);
    expect(out).toContain('25 differences');
    expect(out).toContain('vectors missing deployment c19\n  and 5 more');
    const inJson = await palimpsest('verify', '--json');
    expect(inJson.code).toBe(1);
    expect(JSON.parse(inJson.out)).toMatchObject({ differences });
  });
});

describe('palimpsest reembed', () => {
  const generation = { generation: 'g2', embeddingVersion: 'onnx:bge/384' };

  it('follows the progress until the new generation is active', async () => {
    const states = ['building', 'building', 'idle'];
    platform
      .on('POST /v1/scopes/team:red/reembed', () => ({
        status: 202,
        json: { ...generation, status: 'building', position: '5', documents: 2 },
      }))
      .on('GET /v1/scopes/team:red/reembed', () => ({ json: { ...generation, total: 8, done: 8, state: states.shift() } }));
    const { code, out, err } = await palimpsest('reembed', 'team:red');
    expect({ code, out }).toEqual({ code: 0, out: 'team:red: 8 chunks re-embedded, generation g2 is active (onnx:bge/384)\n' });
    expect(err).toContain('chunks 8 of 8');
    expect(states).toEqual([]);
  });

  it('reports when there is nothing to do', async () => {
    platform.on('POST /v1/scopes/deployment/reembed', () => ({ status: 202, json: { ...generation, status: 'active', documents: 2 } }));
    expect(await palimpsest('reembed', 'deployment')).toMatchObject({
      code: 0,
      out: 'deployment: already uses the current model (onnx:bge/384)\n',
    });
  });
});

describe('palimpsest swap', () => {
  const generations = [
    { generation: 'g1', embeddingVersion: 'onnx:mini/384', status: 'active' },
    { generation: 'g2', embeddingVersion: 'onnx:bge/384', status: 'building' },
  ];
  const swap = {
    generation: 'g2',
    embeddingVersion: 'onnx:bge/384',
    cutover: 'manual',
    startedAt: '2026-11-22T08:00:00.000Z',
    ranges: { done: 4, total: 16 },
    chunks: 12,
    total: 48,
    withoutVector: 1,
    tokens: 900,
    chunksPerSecond: 6,
    remainingSeconds: 5.2,
  };
  const view = (state: string, more: object = {}) => ({ scope: 'team:red', state, generations, swap: { ...swap, ...more } });

  it('starts with the model and the cut-over that were asked for, and shows the progress', async () => {
    platform.on('POST /v1/scopes/team:red/swap', () => ({ status: 202, json: { ...view('building'), position: '5' } }));
    expect(await palimpsest('swap', 'start', 'team:red', '--model', 'onnx:bge/384', '--manual')).toMatchObject({
      code: 0,
      out: [
        'scope       team:red building',
        'generation  g1 active (onnx:mini/384)',
        'generation  g2 building (onnx:bge/384)',
        'cut-over    manual',
        'progress    4 of 16 ranges, 12 of 48 chunks, 900 tokens, 6.0 chunks/s, about 6 s left',
        'rejected    1 chunks; they can be found by keywords only',
        '',
      ].join('\n'),
    });
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap')[0]?.json).toEqual({ embeddingVersion: 'onnx:bge/384', cutover: 'manual' });
  });

  it('shows what its tokens have cost', async () => {
    platform.on('GET /v1/scopes/team:red/swap', () => ({ json: view('building', { cost: 0.0018 }) }));
    expect((await palimpsest('swap', 'status', 'team:red')).out).toContain(' 900 tokens for $0.0018, 6.0 chunks/s');
  });

  it('starts a swap to another chunking, from a file or back to the knowledge bases, and lists what keeps its chunks', async () => {
    const folder = await aFolder({});
    const inFolder = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url], { cwd: folder.path });
    const route = 'POST /v1/scopes/team:red/swap';
    const chunking = { markdown: { maxChars: 800 }, tokens: { maxTokens: 200 } };
    const kept = { total: 1, documents: [{ documentId: 'd1', source: 'a.md', reason: 'The stored upload is missing or damaged.' }] };
    const chunked = [{ generation: 'g2', embeddingVersion: 'onnx:bge/384', status: 'building', chunking }];
    platform.on(route, () => ({ status: 202, json: { ...view('building'), generations: chunked, notRechunked: kept, position: '5' } }));
    await writeFile(join(folder.path, 'chunking.json'), JSON.stringify(chunking));
    const { out } = await inFolder('swap', 'start', 'team:red', '--chunking', 'chunking.json', '--manual');
    expect(out).toContain('generation  g2 building (onnx:bge/384, chunking markdown.maxChars=800 tokens.maxTokens=200)\n');
    expect(out).toContain('not chunked 1 documents keep their chunks\n            a.md: The stored upload is missing or damaged.\n');
    await palimpsest('swap', 'start', 'team:red', '--chunking', 'knowledge-base', '--analyser', '3');
    expect(platform.requestsTo(route).map(({ json }) => json)).toEqual([
      { chunking, cutover: 'manual' },
      { chunking: 'knowledge-base', analyser: '3' },
    ]);
    const missing = await inFolder('swap', 'start', 'team:red', '--chunking', 'none.json');
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--chunking: expected a JSON file with chunking settings, or "knowledge-base"/),
    });
    expect((await palimpsest('swap', 'start', 'team:red', '--chunking', 'knowledge-base', '--plan', 'p1')).code).toBe(2);
    await folder.remove();
  });

  it('watches until the swap is paused, and names the reason', async () => {
    const paused = { reason: 'the model is gone', by: 'platform', at: '2026-11-22T08:00:00.000Z' };
    const views = [view('building'), view('building', { chunks: 30 }), view('paused', { paused })];
    platform.on('GET /v1/scopes/team:red/swap', () => ({ json: views[0] }));
    platform.on('GET /v1/scopes/team:red/swap/progress', () => ({
      headers: { 'content-type': 'text/event-stream' },
      text: views.map((each, n) => `event: swap\nid: ${n + 1}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
    }));
    const { code, out, err } = await palimpsest('swap', 'watch', 'team:red');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('paused      by the platform: the model is gone\n') });
    expect(err).toContain('chunks 12 of 48');
    expect(platform.requestsTo('GET /v1/scopes/team:red/swap')).toHaveLength(1);
  });

  it.each([
    ['pause', ['--reason', 'maintenance'], { reason: 'maintenance' }],
    ['resume', [], {}],
    ['cutover', [], {}],
    ['rollback', [], {}],
    ['cancel', [], {}],
    ['retire', ['--generation', 'g1'], { generation: 'g1' }],
  ])('sends %s', async (action, options, body) => {
    const route = `POST /v1/scopes/team:red/swap/${action}`;
    platform.on(route, () => ({ json: { scope: 'team:red', state: 'idle', generations, position: '5' } }));
    expect(await palimpsest('swap', action, 'team:red', ...options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('team:red idle'),
    });
    expect(platform.requestsTo(route)[0]?.json).toEqual(body);
  });

  it.each([
    [{ freed: { memory: 1_700_000, disk: 640 } }, 'freed       1.70 MB of memory, 640 bytes of disk\n'],
    [{}, 'freed       not measured: the index is a server, or the read models are behind\n'],
  ])('says what a retirement freed: %j', async (freed, line) => {
    platform.on('POST /v1/scopes/team:red/swap/retire', () => ({ json: { ...view('idle'), ...freed, position: '5' } }));
    expect((await palimpsest('swap', 'retire', 'team:red')).out).toContain(line);
  });

  it('lists the scopes with several live generations', async () => {
    platform.on('GET /v1/swaps', () => ({ json: { swaps: [view('building')] } }));
    expect((await palimpsest('swap')).out).toMatch(/team:red +building +g1 active, g2 building +4\/16/);
  });
});

describe('palimpsest status', () => {
  it('reports the state of the platform', async () => {
    platform.on('GET /v1/status', () => ({
      json: {
        ...{
          version: '0.1.0',
          ready: true,
          chunks: 12,
          failedChunks: 2,
          withoutVector: 3,
          queue: { depth: 1, capacity: 5000 },
          log: { position: '33' },
        },
        documents: { pending: 1, processing: 0, indexed: 3, failed: 1, total: 5 },
        projections: [{ name: 'read-models', position: '30', lag: 3 }],
        models: { current: 'onnx/minilm', available: ['onnx/minilm'] },
        scopes: [{ scope: 'deployment', generations: [{ generation: 'g1', embeddingVersion: 'onnx/minilm/384', status: 'active' }] }],
      },
    }));
    const { code, out } = await palimpsest('status');
    expect(code).toBe(0);
    expect(out).toContain('0.1.0 ready');
    expect(out).toContain('5: 3 indexed, 1 pending, 0 processing, 1 failed');
    expect(out).toContain('read-models at 30, 3 behind');
    expect(out).toContain('12, 2 refused by the model, 3 found by words only\n');
    expect(out).toContain('deployment generation g1 active (onnx/minilm/384)');
  });
});

describe('palimpsest keys', () => {
  it('prints a new key alone on stdout', async () => {
    platform.on('POST /v1/api-keys', () => ({ status: 201, json: { keyId: 'k1', key: 'plk_secret', name: 'ci' } }));
    const { out, err } = await palimpsest('keys', 'create', 'ci', '--role', 'reader', '--role', 'writer', '--team', 'red');
    expect(out).toBe('plk_secret\n');
    expect(err).toContain('key k1 for ci');
    expect(platform.requests[0]?.json).toEqual({ name: 'ci', roles: ['reader', 'writer'], teams: ['red'] });
  });

  it('creates a key for documents with certain labels', async () => {
    platform.on('POST /v1/api-keys', () => ({ status: 201, json: { keyId: 'k1', key: 'plk_secret', name: 'ci' } }));
    const labels = ['department=hr', 'region=eu', 'department=a=b'].flatMap((label) => ['--require-label', label]);
    expect((await palimpsest('keys', 'create', 'ci', ...labels)).code).toBe(0);
    expect(platform.requests[0]?.json).toEqual({ name: 'ci', requiredLabels: { department: ['hr', 'a=b'], region: ['eu'] } });
    expect(await palimpsest('keys', 'create', 'ci', '--require-label', 'department')).toMatchObject({ code: 2 });
    platform.on('GET /v1/api-keys', () => ({
      json: { keys: [{ keyId: 'k1', name: 'ci', requiredLabels: { department: ['hr', 'legal'] } }] },
    }));
    expect((await palimpsest('keys', 'list')).out).toContain('department=hr|legal');
  });

  it('shows what the key in use may do', async () => {
    platform.on('GET /v1/me', () => ({ json: { tenant: 'acme', teams: ['red'], roles: ['reader', 'writer'] } }));
    const { code, out } = await palimpsest('keys', 'whoami');
    expect([code, out]).toEqual([0, expect.stringMatching(/acme.*reader writer.*red/s)]);
  });

  it('revokes a key', async () => {
    platform.on('DELETE /v1/api-keys/k1', () => ({ json: {} }));
    expect(await palimpsest('keys', 'revoke', 'k1')).toMatchObject({ code: 0, out: 'revoked k1\n' });
  });
});

describe('palimpsest documents', () => {
  const view = {
    documentId: 'd1',
    knowledgeBase: 'default',
    sourceId: 'a.md',
    status: 'failed',
    reason: 'Empty',
    version: 2,
    chunks: 0,
    failedChunks: 0,
    withoutVector: 0,
  };

  it('lists them, page by page, up to the limit', async () => {
    platform.on('GET /v1/documents', () => ({ json: { documents: [view, { ...view, documentId: 'd2' }], next: 'more', total: 181 } }));
    const { code, out, err } = await palimpsest('documents', '--limit', '3', '--status', 'failed');
    expect(err).toBe('3 of 181 documents; use --limit to see more\n');
    expect(code).toBe(0);
    expect(out.match(/failed Empty/g)).toHaveLength(3);
    expect(platform.requests.map(({ query }) => [query.get('status'), query.get('total')])).toEqual([
      ['failed', 'true'],
      ['failed', null],
    ]);
    const inJson = JSON.parse((await palimpsest('documents', '--limit', '3', '--json')).out) as { documents: unknown[]; total: number };
    expect([inJson.documents.length, inJson.total]).toEqual([3, 181]);
  });

  it('says which chunks the embedding model refused', async () => {
    platform.on('GET /v1/documents', () => ({
      json: { documents: [{ ...view, status: 'indexed', chunks: 7, failedChunks: 1, withoutVector: 2 }], total: 1 },
    }));
    expect((await palimpsest('documents')).out).toContain('7, 1 refused by the model, 2 found by words only');
    platform.on('POST /v1/admin/verify', () => ({
      json: {
        clean: true,
        position: '7',
        partitions: [{ scope: 'deployment', tenant: 'default', generation: 'g1', chunks: 4, withoutVector: 2, fingerprint: 'abc' }],
        differences: [],
      },
    }));
    expect((await palimpsest('verify')).out).toContain('2 chunks were refused by the model and can be found by keywords only\n');
  });

  it('prints no note when all of them are shown', async () => {
    platform.on('GET /v1/documents', () => ({ json: { documents: [view], total: 1 } }));
    expect((await palimpsest('documents')).err).toBe('');
  });

  it('shows one document with its versions', async () => {
    const versions = [
      { version: 2, status: 'failed', reason: 'Empty', submittedAt: '2026-01-01T00:00:00Z', checksum: 'f'.repeat(64), bytes: 5 },
    ];
    platform.on('GET /v1/documents/d1', () => ({ json: { ...view, labels: { team: 'red' }, warnings: ['text was truncated'], versions } }));
    const { out } = await palimpsest('documents', 'show', 'd1');
    expect(out).toContain('team=red');
    expect(out).toContain('text was truncated');
    expect(out).toContain('failed Empty');
  });

  it('deletes and retries documents by id', async () => {
    platform
      .on('DELETE /v1/documents/*', () => ({ json: { position: '8' } }))
      .on('POST /v1/documents/d1/retry', () => ({ json: { version: 2 } }));
    expect(await palimpsest('documents', 'rm', 'd1', 'd2')).toMatchObject({ code: 0, out: 'deleted d1, d2\n' });
    expect(await palimpsest('documents', 'retry', 'd1')).toMatchObject({ code: 0 });
    expect(platform.requests.map(({ route }) => route)).toEqual([
      'DELETE /v1/documents/d1',
      'DELETE /v1/documents/d2',
      'POST /v1/documents/d1/retry',
    ]);
  });

  it('that are not visible are not found, with exit code 2', async () => {
    const { code, err } = await palimpsest('documents', 'show', 'nope');
    expect(code).toBe(2);
    expect(err).toContain('(NotFound)');
  });
});

describe('palimpsest dead-letters', () => {
  const letter = {
    id: '4',
    topic: 'palimpsest.ingestion',
    group: 'ingestion-worker',
    key: 'default/abc',
    work: {},
    attempts: 4,
    error: 'no model',
    failedAt: '2026-01-01T00:00:00.000Z',
  };

  it('lists failed jobs and their errors', async () => {
    platform.on('GET /v1/dead-letters', ({ query }) => ({
      json: { deadLetters: query.get('limit') === '6' ? [letter] : [letter, letter] },
    }));
    const { code, out } = await palimpsest('dead-letters', '--limit', '5');
    expect(code).toBe(0);
    expect(out).toMatch(/4 .*palimpsest\.ingestion .*default\/abc .*no model/);
    expect((await palimpsest('dead-letters', '--limit', '1')).err).toBe('the first 1 dead letters, more exist; use --limit to see more\n');
  });

  it('retries and discards jobs', async () => {
    platform
      .on('POST /v1/dead-letters/4/retry', () => ({ status: 202, json: {} }))
      .on('DELETE /v1/dead-letters/5', () => ({ status: 204 }));
    expect(await palimpsest('dead-letters', 'retry', '4')).toMatchObject({ code: 0, out: 'queued again: 4\n' });
    expect(await palimpsest('dead-letters', 'discard', '5')).toMatchObject({ code: 0, out: 'discarded 5\n' });
  });
});

describe('palimpsest tenants', () => {
  const view = {
    tenant: 'acme',
    tier: 'pro',
    limits: { quotas: { documents: 500 }, weight: 4 },
    use: { documents: 12, chunks: 40, bytes: 9_000, knowledgeBases: 2, retrievalsToday: 3, liveStreams: 0 },
    assigned: { tier: 'pro', overrides: { weight: 4 } },
  };

  it('lists the use and limits of tenants', async () => {
    platform.on('GET /v1/tenants', () => ({ json: { tenants: [view] } }));
    const { code, out } = await palimpsest('tenants');
    expect(code).toBe(0);
    expect(out).toMatch(/^tenant +tier +own limits +documents +chunks/);
    expect(out).toMatch(/acme +pro +yes +12 of 500 +40 +9000 +2 +3/);
  });

  it('shows a tenant its own use', async () => {
    const { assigned: _assigned, ...own } = view;
    platform.on('GET /v1/usage', () => ({ json: own }));
    const { out } = await palimpsest('tenants', 'usage');
    expect(out).toMatch(/acme +pro +12 of 500/);
    expect(out).toContain('weight: 4');
  });

  it('changes the given limits and keeps the others', async () => {
    platform
      .on('GET /v1/tenants/acme/limits', () => ({ json: view }))
      .on('PUT /v1/tenants/acme/limits', ({ json }) => ({ json: { ...view, assigned: json } }));
    const set = async (...args: string[]) => {
      expect((await palimpsest('tenants', 'set', 'acme', ...args)).code).toBe(0);
      return platform.requestsTo('PUT /v1/tenants/acme/limits').at(-1)?.json;
    };
    expect(await set('--tier', 'free')).toEqual({ tier: 'free', overrides: { weight: 4 } });
    expect(await set('--no-tier')).toEqual({ tier: null, overrides: { weight: 4 } });
    expect(await set('--overrides', '{"quotas":{"documents":5}}')).toEqual({ tier: 'pro', overrides: { quotas: { documents: 5 } } });
  });

  it('reports missing or invalid options before it sends a request', async () => {
    expect(await palimpsest('tenants', 'set', 'acme')).toMatchObject({
      code: 2,
      err: expect.stringContaining('give --tier, --no-tier or --overrides'),
    });
    expect(await palimpsest('tenants', 'set', 'acme', '--overrides', '{')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--overrides: must be JSON'),
    });
    expect(platform.requestsTo('PUT /v1/tenants/acme/limits')).toEqual([]);
  });
});
