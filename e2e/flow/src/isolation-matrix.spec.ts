import type { NewApiKey } from '@palimpsest/client';
import { expectProblem, type Answer } from '@palimpsest/e2e-support/ask';
import { routesOf, type DescribedRoute, type Description } from '@palimpsest/e2e-support/described';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** Ids of one type: one that belongs to the red team of the tenant `default`, and one that does not exist. */
type Ids = Readonly<{ theirs: string; unknown: string }>;

const ROLES = ['reader', 'writer', 'admin', 'operator'] as const;
/** The roles that satisfy each required role. */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  reader: ['reader', 'writer', 'admin'],
  writer: ['writer', 'admin'],
  admin: ['admin', 'operator'],
  operator: ['operator'],
};

const STRANGERS: Readonly<Record<string, Partial<NewApiKey>>> = {
  'another tenant': { tenant: 'other', teams: ['*'], user: 'red' },
  'another team': { teams: ['blue'] },
  'no team': { user: 'red' },
};

/** Ids that belong to the whole tenant, so admins of other teams may use them; and names that exist independently in each tenant. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'another team': ['{keyId}', 'fleets/{id}'],
  'no team': ['{keyId}', 'fleets/{id}'],
  'another tenant': ['imports/{scope}'],
};

/** What operators may access: fleets, models, dead letters, limits and keys of all tenants; in their own tenant also events, without content. */
const OF_OPERATORS: Readonly<Record<string, readonly string[]>> = {
  'another tenant': ['models/', 'fleets/', 'dead-letters/', '{tenant}', '{keyId}'],
  'another team': ['models/', 'fleets/', 'dead-letters/', '{tenant}', 'events/'],
  'no team': ['models/', 'fleets/', 'dead-letters/', '{tenant}', 'events/'],
};

/** Bodies in which operators name scopes of any team: they may rebuild and repair all of them, and `verify` lists them. */
const NAMED_BY_OPERATORS: readonly string[] = ['POST /v1/admin/rebuild', 'POST /v1/admin/repair'];

/** Each tenant has its own scope names: in another tenant, the name is a scope of that tenant. */
const mayName = (field: string, stranger: string, role: string, { route }: DescribedRoute): boolean =>
  stranger === 'another tenant' ? field === 'scope' : role === 'operator' && NAMED_BY_OPERATORS.includes(route);

/** Headers that differ in every response. */
const VOLATILE_HEADERS = ['date', 'x-request-id', 'palimpsest-position', 'content-length'];

describe('the isolation matrix: every route, role and foreign id', () => {
  let platform: PlatformUnderTest;
  let routes: readonly DescribedRoute[];
  /** By the place of a path parameter, and by the name of a query parameter or body field. */
  let places: Readonly<Record<string, Ids>>;
  let names: Readonly<Record<string, Ids>>;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'secrets', scope: 'team:red' });
    const { documentId } = await submitText(client, { knowledgeBase: 'secrets', sourceId: 'plan.md', text: 'The plan of the red team.' });
    const { keyId } = await client.operations.createApiKey({ name: 'theirs' });
    const [event] = (await client.events.list({ document: documentId, limit: 1 })).events;
    const { traceId } = await client.search({ query: 'how many days may be carried over?' });
    await eventually('the search is on the log', async () => {
      const { events } = await client.events.list({ types: ['KnowledgeRetrieved'], limit: 1 });
      return events[0]?.data?.['traceId'] === traceId || undefined;
    });
    await submitText(client, { subject: 'ann', sourceId: 'ann.md', text: 'Ann is in the red team.' });
    const { subject } = await client.erasures.startOfPerson('ann');
    // Its scopes have the model already, so nothing happens to them.
    const fleet = await client.fleets.start({ plan: (await client.fleets.plan({ sample: 0 })).id });
    const document = { theirs: documentId, unknown: 'f'.repeat(32) };
    const knowledgeBase = { theirs: 'secrets', unknown: 'nothing' };
    const scope = { theirs: 'team:red', unknown: 'team:nil' };
    places = {
      'documents/{id}': document,
      'knowledge-bases/{id}': knowledgeBase,
      'strategies/{id}': knowledgeBase,
      '{scope}': scope,
      'api-keys/{keyId}': { theirs: keyId, unknown: '00000000-0000-4000-8000-000000000000' },
      'retrievals/{traceId}': { theirs: traceId, unknown: '01a21f2a-cfeb-74b4-9403-be3239ada940' },
      'subjects/{subject}': { theirs: subject, unknown: 'f'.repeat(32) },
      'models/{id}': { theirs: 'openai_stand-in_64', unknown: 'openai_nothing_64' },
      'dead-letters/{id}': { theirs: '1', unknown: '2' },
      'fleets/{id}': { theirs: fleet.id, unknown: '0'.repeat(12) },
      '{tenant}': { theirs: 'default', unknown: 'unheard-of' },
      'events/{position}': { theirs: event?.position ?? '', unknown: '999999999999999' },
    };
    names = {
      document,
      knowledgeBase,
      knowledgeBases: knowledgeBase,
      scope,
      scopes: scope,
      stream: { theirs: event?.stream ?? '', unknown: `document-default-${'f'.repeat(32)}` },
    };
    routes = routesOf((await client.operations.openApi()) as unknown as Description);
  });

  const keyOf = async (key: Partial<NewApiKey>) => (await platform.client.operations.createApiKey({ name: 'test', ...key })).key;
  const placeOf = (path: string) => Object.entries(places).find(([place]) => path.includes(place));
  /** The first parameter is the tested id; a second one gets its documented example. */
  const addressOf = ({ path, operation }: DescribedRoute, id: string): string => {
    const second = (name: string) => String(operation.parameters.find((each) => each.name === name)?.example ?? '');
    return path.replace(/\{\w+\}/, encodeURIComponent(id)).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(second(name)));
  };
  const bodyOf = ({ operation: { requestBody } }: DescribedRoute): Readonly<{ type: string; example: unknown }> | undefined => {
    const [first] = Object.entries(requestBody?.content ?? {});
    return first && { type: first[0], example: first[1].example };
  };
  const send = (route: DescribedRoute, address: string, key: string, change: Readonly<Record<string, unknown>> = {}): Promise<Answer> => {
    const body = bodyOf(route);
    const sent =
      body === undefined
        ? {}
        : body.type === 'application/json'
          ? { json: { ...(body.example as object), ...change } }
          : { body: String(body.example), headers: { 'content-type': body.type } };
    return platform.ask(`${route.method} ${address}`, { key, ...sent });
  };
  /** The content of a response, without the requested id and without values that always differ. */
  const contentOf = ({ status, headers, text }: Answer, id: string) => {
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    return {
      status,
      text: text.replaceAll(id, '<id>').replaceAll(/"(?:position|head|traceId|fence)":"[^"]*"|"timings":.*?\]\}/g, ''),
      headers: [...headers]
        .filter(([name]) => !VOLATILE_HEADERS.includes(name))
        .map(([name, value]) => `${name}: ${value}`)
        .sort(),
    };
  };

  it('has a foreign id for each path parameter of each route', () => {
    const withId = routes.filter(({ path }) => path.includes('{'));
    expect(withId.length).toBeGreaterThanOrEqual(20);
    for (const { route, path } of withId) expect({ route, place: placeOf(path)?.[0] }).toEqual({ route, place: expect.any(String) });
  });

  describe.each(Object.keys(STRANGERS))('for %s', (stranger) => {
    it.each(ROLES)('with the role %s, foreign ids are indistinguishable from unknown ids', async (role) => {
      const key = await keyOf({ ...STRANGERS[stranger], roles: [role] });
      const own = [...(OWN[stranger] ?? []), ...(role === 'operator' ? (OF_OPERATORS[stranger] ?? []) : [])];
      const foreign = routes.filter(({ path }) => path.includes('{') && !own.some((place) => path.includes(place)));
      for (const route of foreign) {
        const [, ids = { theirs: '', unknown: '' }] = placeOf(route.path) ?? [];
        const [theirs, unknown] = [
          await send(route, addressOf(route, ids.theirs), key),
          await send(route, addressOf(route, ids.unknown), key),
        ];
        const about = `${route.route} as ${role} of ${stranger}`;
        expect({ about, ...contentOf(theirs, ids.theirs) }).toEqual({ about, ...contentOf(unknown, ids.unknown) });
        expect({ about, denied: [403, 404].includes(theirs.status) }).toEqual({ about, denied: true });
        expectProblem(theirs, theirs.status, theirs.status === 403 ? 'Forbidden' : 'NotFound');
      }
      expect((await platform.client.documents.list({ knowledgeBase: 'secrets' })).documents).toMatchObject([
        { sourceId: 'plan.md', version: 1, status: 'indexed' },
      ]);
    });

    it.each(ROLES)('with the role %s, a query parameter with a foreign id finds nothing', async (role) => {
      const key = await keyOf({ ...STRANGERS[stranger], roles: [role] });
      let asked = 0;
      for (const route of routes.filter(({ method, path }) => method === 'GET' && !/\/(live|progress)$/.test(path)))
        for (const { name } of route.operation.parameters.filter((each) => each.in === 'query' && each.name in names)) {
          const { theirs = '', unknown = '' } = names[name] ?? {};
          const [found, nothing] = [
            await platform.ask(`GET ${route.path}?${name}=${encodeURIComponent(theirs)}`, { key }),
            await platform.ask(`GET ${route.path}?${name}=${encodeURIComponent(unknown)}`, { key }),
          ];
          const about = `${route.route}?${name} as ${role} of ${stranger}`;
          expect({ about, ...contentOf(found, theirs) }).toEqual({ about, ...contentOf(nothing, unknown) });
          asked++;
        }
      expect(asked).toBeGreaterThanOrEqual(5);
    });

    it.each(ROLES)('with the role %s, a body with a foreign id gets the same response as one with an unknown id', async (role) => {
      const key = await keyOf({ ...STRANGERS[stranger], roles: [role] });
      let asked = 0;
      for (const route of routes.filter(({ path }) => !path.includes('{'))) {
        const { schema } =
          Object.entries(route.operation.requestBody?.content ?? {}).find(([type]) => type === 'application/json')?.[1] ?? {};
        for (const [name, { type }] of Object.entries(
          (schema?.['properties'] ?? {}) as Readonly<Record<string, Readonly<{ type?: string }>>>,
        ).filter(([each]) => each in names)) {
          if (mayName(name, stranger, role, route)) continue;
          const { theirs = '', unknown = '' } = names[name] ?? {};
          const value = (id: string) => ({ [name]: type === 'array' ? [id] : id });
          const [found, nothing] = [await send(route, route.path, key, value(theirs)), await send(route, route.path, key, value(unknown))];
          const about = `${route.route} {${name}} as ${role} of ${stranger}`;
          expect({ about, ...contentOf(found, theirs) }).toEqual({ about, ...contentOf(nothing, unknown) });
          asked++;
        }
      }
      expect(asked).toBeGreaterThanOrEqual(5);
    });
  });

  it.each(['reader', 'writer'])(
    'with required labels and the role %s, a document without them is indistinguishable from an unknown one',
    async (role) => {
      const key = await keyOf({ teams: ['*'], roles: [role], requiredLabels: { department: ['hr'] } });
      const limited = routes.filter(({ operation }) => operation['x-palimpsest-limited-by-labels'] === true);
      for (const route of limited.filter(({ path }) => path.includes('documents/{id}'))) {
        const { theirs, unknown } = places['documents/{id}'] ?? { theirs: '', unknown: '' };
        const answers = [await send(route, addressOf(route, theirs), key), await send(route, addressOf(route, unknown), key)] as const;
        expect({ route: route.route, ...contentOf(answers[0], theirs) }).toEqual({ route: route.route, ...contentOf(answers[1], unknown) });
        expect({ route: route.route, denied: [403, 404].includes(answers[0].status) }).toEqual({ route: route.route, denied: true });
      }
      expect(limited.filter(({ path }) => path.includes('documents/{id}')).length).toBeGreaterThanOrEqual(7);
    },
  );

  it('refuses a key with required labels on every route that is not limited by them', async () => {
    const key = await keyOf({ teams: ['*'], roles: ['writer'], requiredLabels: { department: ['hr'] } });
    const others = routes.filter(({ path, operation }) => path.startsWith('/v1/') && operation['x-palimpsest-limited-by-labels'] !== true);
    expect(others.length).toBeGreaterThan(60);
    for (const route of others) {
      const { theirs = '' } = placeOf(route.path)?.[1] ?? {};
      const answer = await send(route, addressOf(route, theirs), key);
      expect({ route: route.route, status: answer.status }).toEqual({ route: route.route, status: 403 });
    }
  });

  it('documents the required role of every route that changes data', () => {
    for (const { route, operation } of routes.filter(({ method }) => method !== 'GET'))
      expect({ route, role: operation['x-palimpsest-role'] }).toEqual({
        route,
        role: expect.stringMatching(/^(reader|writer|admin|operator)$/),
      });
  });

  it.each(ROLES)('refuses a key that has only the role %s where another role is required, even if it may read', async (role) => {
    const key = await keyOf({ teams: ['*'], roles: [role] });
    for (const route of routes) {
      const needs = route.operation['x-palimpsest-role'];
      if (needs === undefined || HOLDS[needs]?.includes(role)) continue;
      const { theirs = '' } = placeOf(route.path)?.[1] ?? {};
      const answer = await send(route, addressOf(route, theirs), key);
      // An operator is not a reader: it does not even see the document that it may not change.
      const hidden = role === 'operator' && answer.status === 404;
      expect({ route: route.route, needs, status: answer.status }).toEqual({ route: route.route, needs, status: hidden ? 404 : 403 });
      expectProblem(answer, answer.status, hidden ? 'NotFound' : 'Forbidden');
    }
  });

  it('treats a scope of the same name in another tenant as a different scope', async () => {
    const admin = await keyOf({ tenant: 'importing', teams: ['*'], roles: ['admin'] });
    expectProblem(
      await platform.ask('POST /v1/imports/team:red/documents', {
        key: admin,
        body: '',
        headers: { 'content-type': 'application/x-ndjson' },
      }),
      404,
      'NotFound',
    );
    const head = {
      kind: 'export',
      format: 1,
      scope: 'team:red',
      embeddingVersion: 'openai:stand-in/64',
      exportedAt: '2026-01-01T00:00:00Z',
      documents: 0,
      knowledgeBases: [],
    };
    expect((await platform.ask('POST /v1/imports/team:red', { key: admin, json: { export: head } })).status).toBe(200);
    expect((await platform.as(admin).documents.list()).documents).toEqual([]);
    expect(await platform.as(admin).knowledgeBases.list()).toEqual([]);
  });

  it('lists no keys of other tenants', async () => {
    const listed = await platform.as(await keyOf({ tenant: 'other', roles: ['admin'] })).operations.listApiKeys();
    expect(listed.map(({ tenant }) => tenant)).toEqual(listed.map(() => 'other'));
  });

  it('lets no caller issue a key with more rights than its own', async () => {
    const admin = await keyOf({ roles: ['admin'] });
    const issue = (key: Partial<NewApiKey>) => platform.ask('POST /v1/api-keys', { key: admin, json: { name: 'more', ...key } });
    expectProblem(await issue({ roles: ['operator'] }), 403, 'Forbidden');
    expectProblem(await issue({ tenant: 'other' }), 403, 'Forbidden');
    expect((await issue({ roles: ['writer'] })).status).toBe(201);
  });

  it('shows no documents to a key that is only an operator', async () => {
    const key = await keyOf({ teams: ['*'], roles: ['operator'] });
    expect((await platform.ask('GET /v1/documents', { key })).json['documents'] ?? []).toEqual([]);
  });
});
