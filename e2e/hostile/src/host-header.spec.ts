import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { askRaw } from './raw-http.ts';

describe('a page in a browser whose own host name resolves to this machine (DNS rebinding)', () => {
  let platform: PlatformUnderTest;
  let port: string;
  const get = (...hosts: readonly string[]) => askRaw(platform.url, ['GET /health/live HTTP/1.1', ...hosts.map((host) => `Host: ${host}`)]);

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_ALLOWED_HOSTS: 'search.example, Proxy.example' });
    ({ port } = new URL(platform.url));
  });

  it('is refused on every route because of its host name, with or without a key', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'localhost.',
      '192.168.1.5',
      '[::2]',
      '0.0.0.0',
      '2130706433',
    ])
      for (const path of ['/', '/health/live', '/openapi.json', '/v1/documents', '/%zz']) {
        const answer = await askRaw(platform.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${platform.key}`]);
        expect({ host, path, status: answer.status, code: answer.json['code'] }).toEqual({
          host,
          path,
          status: 421,
          code: 'MisdirectedRequest',
        });
      }
  });

  it('is refused if the host name is in the request target', async () =>
    expect((await askRaw(platform.url, ['GET http://evil.example/health/live HTTP/1.1', 'Host: localhost'])).status).toBe(421));

  it('is refused without a Host header, with two of them, and with an invalid one', async () => {
    for (const hosts of [
      [],
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
      [''],
      ['local host'],
      ['http://localhost'],
      ['localhost:x'],
      ['user@localhost'],
      ['localhost/..'],
      ['localhost, evil.example'],
    ]) {
      const { status, json } = await get(...hosts);
      expect({ hosts, status, code: json['code'], field: json['field'] }).toEqual({
        hosts,
        status: 400,
        code: 'InvalidValue',
        field: 'Host',
      });
    }
  });

  it('does not affect requests with a name of the server', async () => {
    for (const host of [
      'localhost',
      `localhost:${port}`,
      'LOCALHOST',
      `127.0.0.1:${port}`,
      '127.0.0.1:1',
      `[::1]:${port}`,
      'search.example',
      'proxy.example:443',
    ])
      expect({ host, status: (await get(host)).status }).toEqual({ host, status: 200 });
  });
});

describe('a server that listens for other machines', () => {
  const statusOf = async (platform: PlatformUnderTest, host: string): Promise<number> =>
    (await askRaw(`http://127.0.0.1:${new URL(platform.url).port}`, ['GET /health/live HTTP/1.1', `Host: ${host}`])).status;

  it('accepts any host name, unless its names are configured; then it accepts those and IP addresses', async () => {
    const open = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_HOST: '0.0.0.0' });
    expect([await statusOf(open, 'any.example'), await statusOf(open, '10.0.0.7:7330')]).toEqual([200, 200]);
    expect((await askRaw(`http://127.0.0.1:${new URL(open.url).port}`, ['GET /health/live HTTP/1.1', 'Host: a', 'Host: b'])).status).toBe(
      400,
    );
    const named = await PlatformUnderTest.start(await aDataFolder(), {
      PALIMPSEST_HOST: '0.0.0.0',
      PALIMPSEST_ALLOWED_HOSTS: 'search.example',
    });
    expect([
      await statusOf(named, 'search.example'),
      await statusOf(named, '10.0.0.7:7330'),
      await statusOf(named, 'localhost'),
      await statusOf(named, 'evil.example'),
    ]).toEqual([200, 200, 200, 421]);
  });
});
