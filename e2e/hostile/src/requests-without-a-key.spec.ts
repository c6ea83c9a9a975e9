import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { routesOf, type Description } from '@palimpsest/e2e-support/described';
import { askRaw, RawConnection } from './raw-http.ts';

const MIB = 1024 * 1024;
/** Spellings of the path of a private route that a check of the raw URL may not recognise. */
const SPELLINGS = [
  '/v1/documents',
  '/%761/documents',
  '/v1/%64ocuments',
  '/%76%31/%64ocuments',
  '/v1/documents?x=/health/live',
  '/v1/documents#/health/live',
  '/v1/documents;/health/live',
  '//v1/documents',
  '/v1//documents',
  '/v1/documents/',
  '/V1/documents',
  '/v1/./documents',
  '/health/../v1/documents',
  '/health/live/../../v1/documents',
  '/health%2f..%2fv1/documents',
  '/v1\\documents',
  '/assets/../v1/documents',
  '/v1/nothing',
  '/nothing',
  '/',
];

describe('a caller without a key', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    // Memory for one large body: a request that reserves it blocks all others.
    platform = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_UPLOAD_MEMORY_MB: '51', PALIMPSEST_WAITING_MS: '2000' });
  });

  const host = () => `host: ${new URL(platform.url).host}`;
  const stalled = (path: string, length = 50 * MIB) => [
    `POST ${path} HTTP/1.1`,
    host(),
    'content-type: application/json',
    `content-length: ${length}`,
  ];

  it('is refused on every private route of the description', async () => {
    const description = (await platform.client.operations.openApi()) as unknown as Description;
    const routes = routesOf(description).filter(({ path }) => path.startsWith('/v1/'));
    expect(routes.length).toBeGreaterThan(40);
    for (const { method, path } of routes) {
      const answer = await fetch(`${platform.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method });
      expect({ method, path, status: answer.status, type: answer.headers.get('content-type')?.split(';')[0] }).toEqual({
        method,
        path,
        status: 401,
        type: 'application/problem+json',
      });
    }
  });

  it('is refused on undocumented and on unknown routes', async () => {
    for (const route of [
      'GET /v1/nothing',
      'POST /nothing',
      'GET /v2',
      'PATCH /v1/documents',
      'TRACE /v1/documents',
      'OPTIONS /v1/search',
    ]) {
      const [method = '', path = ''] = route.split(' ');
      expect({ route, status: (await askRaw(platform.url, [`${method} ${path} HTTP/1.1`, host()])).status }).toEqual({
        route,
        status: 401,
      });
    }
  });

  it('is refused before a byte of the body is read, for any spelling of the path', async () => {
    for (const path of SPELLINGS.filter((each) => each !== '/')) {
      // The body is never sent, so a response cannot depend on it.
      const connection = await RawConnection.open(platform.url);
      const { status } = await connection.write(`${stalled(path).join('\r\n')}\r\n\r\n`).answer();
      expect({ path, status: [400, 401, 405].includes(status) ? 'refused' : status }).toEqual({ path, status: 'refused' });
      connection.end();
    }
  });

  it('is refused if the request target is an absolute URL', async () => {
    const { host: name } = new URL(platform.url);
    for (const target of [`http://${name}/v1/documents`, `HTTP://${name}/%761/documents`, `https://${name}/v1/search?x`])
      expect({ target, status: (await askRaw(platform.url, stalled(target))).status }).toEqual({ target, status: 401 });
    expect((await askRaw(platform.url, [`GET http://${name}/health/live HTTP/1.1`, host()])).status).toBe(200);
    expect((await askRaw(platform.url, [`GET ftp://${name}/health/live HTTP/1.1`, host()])).status).toBe(400);
  });

  it('does not block callers with a key by uploads that never arrive', async () => {
    const connections = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(platform.url)));
    for (const [i, connection] of connections.entries()) {
      connection.write(`${stalled(SPELLINGS[i % 4] ?? '').join('\r\n')}\r\n\r\n[[[[`);
      expect((await connection.answer()).status).toBe(401);
    }
    const { status } = await platform.ask('POST /v1/documents', { json: { sourceId: 'mine.md', text: 'Not blocked.' } });
    expect(status).toBe(202);
    for (const connection of connections) connection.end();
  });

  it('gets a response and then a closed connection if a large body follows, and an open one if a small body follows', async () => {
    const large = await RawConnection.open(platform.url);
    large.write(`${stalled('/v1/documents').join('\r\n')}\r\n\r\n`);
    expect(await large.answer()).toMatchObject({ status: 401, headers: { connection: 'close' } });
    for (let i = 0; i < 8; i++) large.write('x'.repeat(MIB));
    await large.closed();
    const small = await RawConnection.open(platform.url);
    small.write(`${stalled('/v1/search', 10).join('\r\n')}\r\n\r\n`);
    expect((await small.answer()).headers['connection']).not.toBe('close');
    // The body is skipped and not parsed as the next request.
    small.write(`GET /healt${['GET /health/live HTTP/1.1', host()].join('\r\n')}\r\n\r\n`);
    expect((await small.answer()).status).toBe(200);
    small.end();
  });

  it('gets no 100 Continue if it waits for one', async () => {
    const answer = await askRaw(platform.url, [...stalled('/v1/documents'), 'expect: 100-continue']);
    expect(answer.status).toBe(401);
    const withKey = await RawConnection.open(platform.url);
    withKey.write(
      `${[...stalled('/v1/search', 13), `authorization: Bearer ${platform.key}`, 'expect: 100-continue'].join('\r\n')}\r\n\r\n`,
    );
    expect((await withKey.answer()).status).toBe(100);
    withKey.write('{"query":"x"}');
    expect((await withKey.answer()).status).toBe(200);
    withKey.end();
  });
});
