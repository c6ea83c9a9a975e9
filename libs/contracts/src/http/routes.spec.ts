import { z } from 'zod';
import { isIdempotent, nameOf, problemCodesOf } from './route-facts.ts';
import { ROUTES } from './routes.ts';
import { servicePaths } from './service-paths.ts';

describe('the contracts of the routes', () => {
  it('have different ids, methods and paths', () => {
    for (const each of [ROUTES.map(({ id }) => id), ROUTES.map(nameOf)]) expect(new Set(each).size).toBe(ROUTES.length);
  });

  it('declare each parameter of their path, and no others', () => {
    for (const { path, params } of ROUTES)
      expect({ path, params: Object.keys(params?.shape ?? {}) }).toEqual({
        path,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      });
  });

  it('require a key exactly under /v1', () => {
    for (const contract of ROUTES)
      expect({ route: nameOf(contract), public: contract.public === true }).toEqual({
        route: nameOf(contract),
        public: !contract.path.startsWith('/v1/'),
      });
  });

  it('have a response body, unless they say that there is none', () => {
    for (const contract of ROUTES)
      expect({ route: nameOf(contract), body: contract.response !== undefined }).toEqual({
        route: nameOf(contract),
        body: contract.status !== 204,
      });
  });

  it('describe responses that callers receive as they are parsed: without defaults and transformations', () => {
    const closed = (schema: object): unknown => JSON.parse(JSON.stringify(schema).replaceAll(',"additionalProperties":false', ''));
    for (const { id, response } of ROUTES) {
      if (response)
        expect({ id, schema: closed(z.toJSONSchema(response, { io: 'input' })) }).toEqual({
          id,
          schema: closed(z.toJSONSchema(response, { io: 'output' })),
        });
    }
  });

  it('accept their own examples', () => {
    for (const { id, body, example } of ROUTES) {
      if (body === undefined) continue;
      if (body.kind === 'lines') expect(example?.body?.['application/x-ndjson']).toBeDefined();
      else expect({ id, ...body.json.safeParse(example?.body?.['application/json']) }).toMatchObject({ id, success: true });
    }
  });

  it('count writes of documents, knowledge bases and scopes, and no reads', () => {
    for (const contract of ROUTES.filter(({ method }) => method === 'get')) expect(contract.rate).toBeUndefined();
    expect(ROUTES.filter(({ rate }) => rate === 'writes').length).toBeGreaterThanOrEqual(12);
  });

  it('are audited before their response, except reads other than exports, searches, replays, and writes of documents', () => {
    const audited = ROUTES.filter(({ path, method, id }) => {
      const changes = method !== 'get' && !/^\/v1\/(?:documents|search|context|retrievals)(?:\/|$)/.test(path);
      return path.startsWith('/v1/') && (changes || id === 'Transfer.export');
    });
    expect(ROUTES.filter(({ administration }) => administration === true).map(nameOf)).toEqual(audited.map(nameOf));
  });

  it('may be repeated if they only read, replace or delete, or say so', () => {
    const repeatable = (route: string) => ROUTES.filter((contract) => nameOf(contract) === route).map(isIdempotent);
    expect([repeatable('GET /v1/documents'), repeatable('POST /v1/search'), repeatable('POST /v1/api-keys')]).toEqual([
      [true],
      [true],
      [false],
    ]);
  });

  it('report a full rate limit exactly where one counts', () => {
    for (const contract of ROUTES) expect(problemCodesOf(contract).includes('RateLimited')).toBe(contract.rate !== undefined);
  });
});

describe('the paths of the services', () => {
  it('cover every route that one service serves', () => {
    const paths = servicePaths();
    for (const { path, service } of ROUTES.filter((contract) => contract.service !== 'every')) {
      const [found, ...more] = paths.filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
      expect({ path, service: found?.service, more }).toEqual({ path, service, more: [] });
    }
  });

  it('refuse a prefix that two services share', () => {
    const [first] = ROUTES.filter(({ service }) => service === 'query');
    expect(() => servicePaths([...ROUTES, ...(first ? [{ ...first, service: 'ingestion' as const }] : [])])).toThrow(
      'more than one service',
    );
  });
});
