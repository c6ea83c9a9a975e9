import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';

describe('a caller without a key', () => {
  it('is refused on every route that holds data', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    for (const route of ['GET /v1/documents', 'POST /v1/search', 'GET /v1/status', 'GET /v1/events', 'POST /v1/admin/rebuild', 'GET /v1/keys']) {
      const [method, path] = route.split(' ') as [string, string];
      const answer = await fetch(`${platform.url}${path}`, { method });
      expect({ route, status: answer.status, type: answer.headers.get('content-type') }).toMatchObject({ route, status: 401, type: expect.stringContaining('application/problem+json') });
    }
    await platform.stop();
  });
});
