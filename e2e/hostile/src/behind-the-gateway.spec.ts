import { startGateway } from '../../../tools/distributed/gateway.mjs';
import { ask, expectProblem } from '@palimpsest/e2e-support/ask';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { RawConnection } from './raw-http.ts';

const MIB = 1024 * 1024;

describe('behind the gateway', () => {
  let platform: PlatformUnderTest;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    gateway = await startGateway(() => [platform.url]);
  });
  afterAll(() => gateway.close());

  const stalled = (...more: readonly string[]) =>
    [
      `POST /v1/documents HTTP/1.1`,
      `host: ${new URL(gateway.url).host}`,
      'content-type: application/json',
      `content-length: ${50 * MIB}`,
      ...more,
    ].join('\r\n');

  it('a request without a key whose body never arrives is refused immediately, and its connection closed', async () => {
    const connection = await RawConnection.open(gateway.url);
    expect(await connection.write(`${stalled()}\r\n\r\n`).answer()).toMatchObject({ status: 401, headers: { connection: 'close' } });
    await connection.closed();
  });

  it('the refusal reaches the client even if it sends the whole body', async () => {
    for (let i = 0; i < 5; i++) {
      expectProblem(
        await ask(gateway.url, 'POST /v1/documents', { body: ' '.repeat(8 * MIB), headers: { 'content-type': 'application/json' } }),
        401,
        'Unauthenticated',
      );
      expectProblem(
        await ask(gateway.url, 'POST /v1/search', {
          key: platform.key,
          body: ' '.repeat(8 * MIB),
          headers: { 'content-type': 'application/json' },
        }),
        413,
        'TooLarge',
      );
    }
  });

  it('an unknown host name is refused', async () => {
    const connection = await RawConnection.open(gateway.url);
    expect((await connection.write('GET /health/live HTTP/1.1\r\nhost: evil.example\r\n\r\n').answer()).status).toBe(421);
    connection.end();
  });
});
