import { createConfig, lintFromString } from '@redocly/openapi-core';
import { routesOf, type Description } from '@palimpsest/e2e-support/described';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('the description of the HTTP API', () => {
  let description: Description;
  beforeAll(async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    description = (await platform.client.operations.openApi()) as unknown as Description;
  }, 600_000);

  it('passes an OpenAPI linter in strict mode', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const found = await lintFromString({ source: JSON.stringify(description), absoluteRef: 'openapi.json', config });
    expect(found.map(({ ruleId, message, location: [first] }) => ({ ruleId, message, at: first?.pointer ?? '' }))).toEqual([]);
  });

  it('documents the purpose, the response and the errors of every operation', () => {
    const routes = routesOf(description);
    expect(routes.length).toBeGreaterThan(40);
    for (const { route, path, operation } of routes) {
      expect({ route, description: operation.description, summary: operation.summary }).toEqual({
        route,
        description: expect.stringMatching(/\w+ \w+/),
        summary: expect.stringMatching(/\w+ \w+/),
      });
      const own = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
      expect({ route, own: own.length }).toEqual({ route, own: 1 });
      for (const [status, { content }] of own)
        if (status !== '204')
          expect({ route, content: Object.values(content ?? {}) }).toEqual({
            route,
            content: [expect.objectContaining({ schema: expect.any(Object) })],
          });
      if (!path.startsWith('/v1/')) continue;
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '500', '503']));
    }
    const ids = routes.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a schema and an example for every request body, and an example for every path parameter', () => {
    for (const { route, operation } of routesOf(description)) {
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        expect({ route, type, media }).toEqual({ route, type, media: { schema: expect.any(Object), example: expect.anything() } });
      for (const { name, example } of operation.parameters.filter((each) => each.in === 'path'))
        expect({ route, name, example }).toEqual({ route, name, example: expect.anything() });
    }
  });

  it('has an example of every successful response, and type and code of every error', () => {
    for (const { route, operation } of routesOf(description))
      for (const [status, { content }] of Object.entries(operation.responses))
        for (const [type, media] of Object.entries(content ?? {})) {
          const problems = type === 'application/problem+json';
          expect({
            route,
            status,
            hasExample: problems ? Object.keys(media.examples ?? {}).length > 0 : media.example !== undefined || Number(status) >= 400,
          }).toEqual({ route, status, hasExample: true });
        }
    for (const [code, { value }] of Object.entries(description.components['examples'] ?? {}))
      expect(value).toMatchObject({ type: `urn:palimpsest:problem:${code}`, code, status: expect.any(Number), title: expect.any(String) });
  });
});
