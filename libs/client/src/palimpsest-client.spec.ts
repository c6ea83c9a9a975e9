import { FakeServer } from '../test/fake-server.ts';
import type { Seen } from '../test/fake-server.ts';
import { PalimpsestClient } from './palimpsest-client.ts';

let server: FakeServer;
let client: PalimpsestClient;
beforeEach(async () => {
  server = await FakeServer.open();
  client = new PalimpsestClient({ url: server.url, apiKey: 'plk_test', retries: 2 });
});
afterEach(() => server.close());

const lastRequest = (): Seen => {
  const last = server.seen.at(-1);
  if (last === undefined) throw new Error('the server received no request');
  return last;
};
const busy = { status: 429, headers: { 'retry-after': '0' }, json: { code: 'Overloaded', detail: 'the queue is full' } };

describe('The client', () => {
  it('sends its key and JSON and returns the response of the server', async () => {
    server.answers(() => ({ json: { hits: [], position: '7' } }));
    const result = await client.search({ query: 'tides', topK: 3 });
    expect(result.position).toBe('7');
    expect(lastRequest()).toMatchObject({ method: 'POST', url: '/v1/search', headers: { authorization: 'Bearer plk_test' } });
    expect(JSON.parse(lastRequest().body.toString())).toEqual({ query: 'tides', topK: 3 });
  });

  it.each([
    ['knowledgeBases.create', (c: PalimpsestClient) => c.knowledgeBases.create({ id: 'kb' }), 'POST /v1/knowledge-bases'],
    ['knowledgeBases.get', (c: PalimpsestClient) => c.knowledgeBases.get('a/b'), 'GET /v1/knowledge-bases/a%2Fb'],
    ['knowledgeBases.update', (c: PalimpsestClient) => c.knowledgeBases.update('kb', { name: 'n' }), 'PATCH /v1/knowledge-bases/kb'],
    ['knowledgeBases.archive', (c: PalimpsestClient) => c.knowledgeBases.archive('kb'), 'POST /v1/knowledge-bases/kb/archive'],
    ['knowledgeBases.remove', (c: PalimpsestClient) => c.knowledgeBases.remove('kb'), 'DELETE /v1/knowledge-bases/kb'],
    [
      'documents.list',
      (c: PalimpsestClient) => c.documents.list({ status: 'failed', source: 'a b' }),
      'GET /v1/documents?status=failed&source=a+b',
    ],
    [
      'documents.list by filter',
      (c: PalimpsestClient) => c.documents.list({ filter: { exists: { field: 'title' } }, total: true }),
      `GET /v1/documents?filter=${encodeURIComponent('{"exists":{"field":"title"}}')}&total=true`,
    ],
    ['knowledgeBases.pause', (c: PalimpsestClient) => c.knowledgeBases.pause('kb'), 'POST /v1/knowledge-bases/kb/pause'],
    ['knowledgeBases.resume', (c: PalimpsestClient) => c.knowledgeBases.resume('kb'), 'POST /v1/knowledge-bases/kb/resume'],
    ['events.list', (c: PalimpsestClient) => c.events.list({ types: ['A', 'B'], limit: 2 }), 'GET /v1/events?limit=2&type=A&type=B'],
    ['events.get', (c: PalimpsestClient) => c.events.get('42'), 'GET /v1/events/42'],
    ['ragHealth', (c: PalimpsestClient) => c.operations.ragHealth(), 'GET /health/rag'],
    ['overview', (c: PalimpsestClient) => c.operations.overview(), 'GET /v1/overview'],
    ['documents.get', (c: PalimpsestClient) => c.documents.get('d1'), 'GET /v1/documents/d1'],
    ['documents.version', (c: PalimpsestClient) => c.documents.version('d1', 2, { limit: 1 }), 'GET /v1/documents/d1/versions/2?limit=1'],
    ['documents.diff', (c: PalimpsestClient) => c.documents.diff('d1', { from: 1, to: 2 }), 'GET /v1/documents/d1/diff?from=1&to=2'],
    [
      'timeline.list',
      (c: PalimpsestClient) => c.timeline.list('team:red', { after: '7', knowledgeBase: 'k' }),
      'GET /v1/scopes/team%3Ared/timeline?after=7&knowledgeBase=k',
    ],
    ['documents.chunks', (c: PalimpsestClient) => c.documents.chunks('d1', { limit: 2 }), 'GET /v1/documents/d1/chunks?limit=2'],
    [
      'documents.removeMatching',
      (c: PalimpsestClient) => c.documents.removeMatching({ knowledgeBase: 'kb', source: 'a' }),
      'POST /v1/documents/delete',
    ],
    ['documents.retry', (c: PalimpsestClient) => c.documents.retry('d1'), 'POST /v1/documents/d1/retry'],
    ['context', (c: PalimpsestClient) => c.context({ query: 'q', maxTokens: 9 }), 'POST /v1/context'],
    ['status', (c: PalimpsestClient) => c.operations.status(), 'GET /v1/status'],
    ['audit', (c: PalimpsestClient) => c.operations.audit({ outcome: 'denied', denied: true }), 'GET /v1/audit?outcome=denied&denied=true'],
    ['rebuild', (c: PalimpsestClient) => c.operations.rebuild(), 'POST /v1/admin/rebuild'],
    ['verify', (c: PalimpsestClient) => c.operations.verify(), 'POST /v1/admin/verify'],
    ['verify in full', (c: PalimpsestClient) => c.operations.verify({ full: true }), 'POST /v1/admin/verify?full=true'],
    ['verifications', (c: PalimpsestClient) => c.operations.verifications(), 'GET /v1/admin/verify'],
    ['repair', (c: PalimpsestClient) => c.operations.repair({ scopes: ['platform'] }), 'POST /v1/admin/repair'],
    ['reembed', (c: PalimpsestClient) => c.operations.reembed('team:red'), 'POST /v1/scopes/team%3Ared/reembed'],
    ['reembedProgress', (c: PalimpsestClient) => c.operations.reembedProgress('platform'), 'GET /v1/scopes/platform/reembed'],
    [
      'retireGeneration',
      (c: PalimpsestClient) => c.operations.retireGeneration('deployment', 'g1'),
      'POST /v1/scopes/deployment/generations/g1/retire',
    ],
    ['createApiKey', (c: PalimpsestClient) => c.operations.createApiKey({ name: 'ci' }), 'POST /v1/api-keys'],
    ['revokeApiKey', (c: PalimpsestClient) => c.operations.revokeApiKey('k1'), 'DELETE /v1/api-keys/k1'],
    ['openApi', (c: PalimpsestClient) => c.operations.openApi(), 'GET /openapi.json'],
    ['ready', (c: PalimpsestClient) => c.operations.ready(), 'GET /health/ready'],
  ])('%s sends the right method and path', async (_name, call, expected) => {
    await call(client);
    expect(`${lastRequest().method} ${lastRequest().url}`).toBe(expected);
  });

  it('supports a server URL with a path', async () => {
    await new PalimpsestClient({ url: `${server.url}/rag/` }).operations.status();
    expect(lastRequest().url).toBe('/rag/v1/status');
    expect(lastRequest().headers.authorization).toBeUndefined();
  });

  it('sends the expected version as If-Match', async () => {
    await client.documents.remove('d1', { ifVersion: 3 });
    expect(lastRequest().headers['if-match']).toBe('"3"');
  });

  it('lists all pages', async () => {
    server.answersInTurn({ json: { documents: [{ documentId: 'a' }], next: 'c2' } }, { json: { documents: [{ documentId: 'b' }] } });
    const found: string[] = [];
    for await (const { documentId } of client.documents.listAll({ knowledgeBase: 'kb' })) found.push(documentId);
    expect(found).toEqual(['a', 'b']);
    expect(lastRequest().url).toContain('cursor=c2');
  });

  it('lists the keys', async () => {
    server.answers(() => ({ json: { keys: [{ keyId: 'k1' }] } }));
    expect(await client.operations.listApiKeys()).toEqual([{ keyId: 'k1' }]);
  });

  it('accepts a response without a body', async () => {
    server.answers(() => ({ status: 204 }));
    expect(await client.operations.revokeApiKey('k1')).toBeUndefined();
  });
});

describe('An upload', () => {
  it('sends the fields first, then each file with its full name', async () => {
    server.answers(() => ({ status: 202, json: { documents: [], position: '1' } }));
    const fields = { knowledgeBase: 'kb', labels: { team: 'red' }, origin: 'Note' as const, force: true };
    await client.documents.upload([{ name: 'guides/übersicht.md', content: new TextEncoder().encode('# Hi') }], fields);
    const body = lastRequest().body.toString();
    const order = [
      'name="knowledgeBase"',
      'name="labels"',
      '{"team":"red"}',
      'name="sourceId"',
      'guides/übersicht.md',
      'filename=',
      '# Hi',
    ];
    const places = order.map((part) => body.indexOf(part));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('sends no source id for several files: each file has its own name', async () => {
    await client.documents.upload([
      { name: 'a.md', content: new Blob(['a']) },
      { name: 'b.pdf', content: new Uint8Array([1]), mediaType: 'application/pdf' },
    ]);
    const body = lastRequest().body.toString();
    expect(body).not.toContain('name="sourceId"');
    expect(body).toContain('filename="b.pdf"\r\nContent-Type: application/pdf');
  });

  it('is sent again completely when the queue was full', async () => {
    server.answersInTurn(busy, { status: 202, json: { documents: [], position: '1' } });
    await client.documents.upload([{ name: 'a.md', content: new Blob(['the text']) }]);
    expect(server.seen.map(({ body }) => body.includes('the text'))).toEqual([true, true]);
  });
});

describe('A refused request', () => {
  it('becomes a ProblemError that names the code, the field and what was expected', async () => {
    server.answers(() => ({
      status: 422,
      json: { code: 'InvalidValue', detail: 'topK: too many', field: 'topK', expected: 'at most 100' },
    }));
    await expect(client.search({ query: 'q', topK: 1e6 })).rejects.toMatchObject({
      ...{ name: 'ProblemError', code: 'InvalidValue', status: 422, field: 'topK', expected: 'at most 100', detail: 'topK: too many' },
    });
    expect(server.seen).toHaveLength(1);
  });

  it('is understood even if the response is not a problem document', async () => {
    server.answers(() => ({ status: 502, text: '<html>bad gateway</html>' }));
    await expect(client.operations.status()).rejects.toMatchObject({ code: 'Http502', detail: '<html>bad gateway</html>' });
  });

  it('is retried under load as often as allowed, and each retry is announced', async () => {
    server.answers(() => busy);
    const notices: number[] = [];
    const patient = new PalimpsestClient({ url: server.url, retries: 2, onRetry: ({ attempt }) => notices.push(attempt) });
    await expect(patient.operations.status()).rejects.toMatchObject({ code: 'Overloaded', retryAfterSeconds: 0 });
    expect(server.seen).toHaveLength(3);
    expect(notices).toEqual([0, 1]);
  });

  it('rejects immediately when the caller aborts during a retry delay', async () => {
    server.answers(() => ({ ...busy, headers: { 'retry-after': '3600' } }));
    const abort = new AbortController();
    const impatient = new PalimpsestClient({ url: server.url, onRetry: () => abort.abort(new Error('enough')) });
    await expect(impatient.operations.status({ signal: abort.signal })).rejects.toThrow('enough');
  });
});

describe('A failed connection', () => {
  it('is a ConnectionError that names the address', async () => {
    server.answers(() => 'hang up');
    await expect(client.operations.status()).rejects.toMatchObject({
      name: 'ConnectionError',
      message: `no server answers at ${server.url}`,
    });
  });
});
