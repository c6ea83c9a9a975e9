import type { NewApiKey } from '@palimpsest/client';
import { expectProblem, type Answer } from './ask.ts';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { handIn } from './hand-in.ts';
import { aDataFolder, PlatformUnderTest } from './platform-under-test.ts';

type OpenApi = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }>;
type Route = Readonly<{ method: string; path: string }>;

/** A body that a route would accept, where it takes one. */
const BODIES: Readonly<Record<string, unknown>> = { PUT: { text: 'Another text.' }, PATCH: { name: 'Another name' } };

/** What makes something new where a list is posted to. */
/** An export of nothing, which fits any scope. */
const EXPORT = { kind: 'export', format: 1, scope: 'team:red', embeddingVersion: 'openai:stand-in/64', exportedAt: '2026-01-01T00:00:00Z', documents: 0, knowledgeBases: [] };

const NEW: Readonly<Record<string, unknown>> = { '/v1/documents': { sourceId: 'x.md', text: 'x' }, '/v1/knowledge-bases': { id: 'x' }, '/v1/api-keys': { name: 'x' }, '/v1/imports/{scope}': { export: EXPORT }, '/v1/tenants/{tenant}/limits': { overrides: {} } };

/** The first parameter is the id in question; of a generation, every scope has a first one. */
const pathOf = (path: string, id: string): string => path.replace('{generation}', 'g1').replace(/\{\w+\}/, encodeURIComponent(id));

/** Routes that need more than `reader`, with the least role that they need. */
const NEEDS: Readonly<Record<string, 'writer' | 'admin' | 'operator'>> = {
  'POST /v1/documents': 'writer',
  'PUT /v1/documents/{id}': 'writer',
  'DELETE /v1/documents/{id}': 'writer',
  'POST /v1/documents/{id}/retry': 'writer',
  'POST /v1/knowledge-bases': 'writer',
  'PATCH /v1/knowledge-bases/{id}': 'writer',
  'POST /v1/knowledge-bases/{id}/archive': 'writer',
  'POST /v1/knowledge-bases/{id}/pause': 'writer',
  'POST /v1/knowledge-bases/{id}/resume': 'writer',
  'POST /v1/scopes/{scope}/reembed': 'admin',
  'POST /v1/scopes/{scope}/generations/{generation}/retire': 'admin',
  'GET /v1/exports/{scope}': 'admin',
  'POST /v1/imports/{scope}': 'admin',
  'POST /v1/imports/{scope}/documents': 'admin',
  'POST /v1/api-keys': 'admin',
  'GET /v1/api-keys': 'admin',
  'DELETE /v1/api-keys/{keyId}': 'admin',
  'GET /v1/tenants': 'operator',
  'GET /v1/tenants/{tenant}/limits': 'operator',
  'PUT /v1/tenants/{tenant}/limits': 'operator',
  'GET /v1/dead-letters': 'operator',
  'POST /v1/dead-letters/{id}/retry': 'operator',
  'DELETE /v1/dead-letters/{id}': 'operator',
  'POST /v1/admin/rebuild': 'operator',
  'POST /v1/admin/verify': 'operator',
};
const READS = ['POST /v1/search', 'POST /v1/context'];

describe('ids of others, and roles', () => {
  let platform: PlatformUnderTest;
  let routes: readonly Route[];
  let ids: Readonly<Record<string, readonly [theirs: string, unknown: string]>>;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'secrets', scope: 'team:red' });
    const { documentId } = await handIn(platform.client, { knowledgeBase: 'secrets', sourceId: 'plan.md', text: 'The plan of the red team.' });
    const { keyId } = await platform.client.operations.createApiKey({ name: 'theirs' });
    const unknownId = 'f'.repeat(32);
    ids = {
      '/v1/documents/{id}': [documentId, unknownId],
      '/v1/knowledge-bases/{id}': ['secrets', 'nothing'],
      '/v1/scopes/{scope}': ['team:red', 'team:none'],
      '/v1/exports/{scope}': ['team:red', 'team:none'],
      '/v1/imports/{scope}': ['team:red', 'team:none'],
      '/v1/api-keys/{keyId}': [keyId, '00000000-0000-4000-8000-000000000000'],
      '/v1/dead-letters/{id}': ['1', '2'],
      '/v1/tenants/{tenant}': ['default', 'unheard-of'],
      '/v1/events/{position}': [(await platform.client.events.list({ document: documentId, limit: 1 })).events[0]?.position ?? '', '999999999999999'],
    };
    const { paths } = (await platform.client.operations.openApi()) as unknown as OpenApi;
    routes = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
  });

  const keyOf = async (key: Partial<NewApiKey>) => (await platform.client.operations.createApiKey({ name: 'test', ...key })).key;
  const idsOf = (path: string) => Object.entries(ids).find(([prefix]) => path.startsWith(prefix))?.[1];
  const send = ({ method, path }: Route, id: string, key: string): Promise<Answer> => {
    const json = method === 'GET' ? undefined : (NEW[path] ?? BODIES[method]);
    return platform.ask(`${method} ${pathOf(path, id)}`, { key, ...(json === undefined ? {} : { json }) });
  };

  it('every route with an id is covered here', () => {
    const withId = routes.filter(({ path }) => path.includes('{'));
    expect(withId.length).toBeGreaterThanOrEqual(15);
    for (const { path } of withId) expect({ path, ids: idsOf(path) }).toEqual({ path, ids: expect.any(Array) });
  });

  it.each([
    ['another tenant', { tenant: 'other', teams: ['*'], roles: ['admin', 'operator'] }, ['/v1/api-keys', '/v1/imports', '/v1/tenants']],
    ['another tenant’s reader', { tenant: 'other', teams: ['red'], roles: ['reader'] }, []],
    ['another team', { teams: ['blue'], roles: ['admin'] }, ['/v1/api-keys']],
    ['another team’s reader', { teams: ['blue'], roles: ['reader'] }, []],
    ['nobody’s team', { user: 'red', roles: ['writer'] }, []],
  ] as const)('what belongs to others is, for %s, as if it did not exist', async (_, key, except) => {
    const theirKey = await keyOf(key as Partial<NewApiKey>);
    for (const route of routes.filter(({ path }) => path.includes('{') && !except.some((prefix) => path.startsWith(prefix)))) {
      const [theirs = '', unknown = ''] = idsOf(route.path) ?? [];
      const [foreign, missing] = [await send(route, theirs, theirKey), await send(route, unknown, theirKey)];
      const about = `${route.method} ${route.path}`;
      expect({ about, status: foreign.status, body: foreign.text.replaceAll(theirs, '<id>') }).toEqual({ about, status: missing.status, body: missing.text.replaceAll(unknown, '<id>') });
      expect({ about, status: [403, 404].includes(foreign.status) }).toEqual({ about, status: true });
      expectProblem(foreign, foreign.status, foreign.status === 403 ? 'Forbidden' : 'NotFound');
      expect(foreign.headers.get('content-length')).toBe(String(Buffer.byteLength(foreign.text)));
    }
    expect((await platform.client.documents.list({ knowledgeBase: 'secrets' })).documents).toMatchObject([{ sourceId: 'plan.md', version: 1, status: 'indexed' }]);
  });

  it('a key of another tenant is, for its admin, as if it did not exist', async () => {
    const admin = await keyOf({ tenant: 'other', roles: ['admin'] });
    const [theirs = '', unknown = ''] = ids['/v1/api-keys/{keyId}'] ?? [];
    const answers = [await platform.ask(`DELETE /v1/api-keys/${theirs}`, { key: admin }), await platform.ask(`DELETE /v1/api-keys/${unknown}`, { key: admin })];
    for (const answer of answers) expectProblem(answer, 404, 'NotFound');
    expect(answers[0]?.text.replace(theirs, '')).toBe(answers[1]?.text.replace(unknown, ''));
    const listed = await platform.as(admin).operations.listApiKeys();
    expect(listed.map(({ tenant }) => tenant)).toEqual(listed.map(() => 'other'));
  });

  it('a scope of the same name is, for the admin of another tenant, its own', async () => {
    const admin = await keyOf({ tenant: 'importing', teams: ['*'], roles: ['admin'] });
    expectProblem(await platform.ask('POST /v1/imports/team:red/documents', { key: admin, body: '', headers: { 'content-type': 'application/x-ndjson' } }), 404, 'NotFound');
    expect((await platform.ask('POST /v1/imports/team:red', { key: admin, json: { export: EXPORT } })).status).toBe(200);
    expect((await platform.as(admin).documents.list()).documents).toEqual([]);
    expect((await platform.as(admin).knowledgeBases.list())).toEqual([]);
  });

  it('every route that changes something is known to need a role', () => {
    const changing = routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
    expect(changing.filter((route) => !READS.includes(route)).sort()).toEqual(Object.keys(NEEDS).filter((route) => !route.startsWith('GET')).sort());
  });

  it.each([
    ['reader', ['writer', 'admin', 'operator']],
    ['writer', ['admin', 'operator']],
    ['admin', ['operator']],
    ['operator', ['writer']],
  ] as const)('a key with the role %s alone is refused what needs more', async (role, refused) => {
    const key = await keyOf({ teams: ['*'], roles: [role] });
    for (const [route, needs] of Object.entries(NEEDS).filter(([, role]) => (refused as readonly string[]).includes(role))) {
      const [method = '', path = ''] = route.split(' ');
      const [theirs = ''] = idsOf(path) ?? [];
      const answer = await platform.ask(`${method} ${pathOf(path, theirs)}`, {
        key,
        ...(method === 'GET' ? {} : { json: BODIES[method] ?? NEW[path] ?? {} }),
      });
      // An operator is no reader: it does not even see the document that it may not change.
      const hidden = role === 'operator' && answer.status === 404;
      expect({ route, needs, status: answer.status }).toEqual({ route, needs, status: hidden ? 404 : 403 });
      expectProblem(answer, answer.status, hidden ? 'NotFound' : 'Forbidden');
    }
  });

  it('nobody gives more than they have', async () => {
    const admin = await keyOf({ roles: ['admin'] });
    const issue = (key: Partial<NewApiKey>) => platform.ask('POST /v1/api-keys', { key: admin, json: { name: 'more', ...key } });
    expectProblem(await issue({ roles: ['operator'] }), 403, 'Forbidden');
    expectProblem(await issue({ tenant: 'other' }), 403, 'Forbidden');
    expect((await issue({ roles: ['writer'] })).status).toBe(201);
  });

  it('an operator alone reads nobody’s documents', async () => {
    const key = await keyOf({ teams: ['*'], roles: ['operator'] });
    expectProblem(await platform.ask('POST /v1/search', { key, json: { query: 'plan' } }), 403, 'Forbidden');
    expectProblem(await platform.ask('POST /v1/context', { key, json: { query: 'plan' } }), 403, 'Forbidden');
    expect((await platform.ask('GET /v1/documents', { key })).json['documents'] ?? []).toEqual([]);
  });
});
