import { once } from 'node:events';
import { access, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('the data folder of a process', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await submitText(platform.client, { sourceId: 'bestiary.md', text: 'In the garden hippogriffs graze quietly.' });
  });

  it('shows address and key only to clients of the same user', async () => {
    const server = JSON.parse(await readFile(join(platform.data, 'server.json'), 'utf8')) as unknown;
    expect(server).toEqual({ url: platform.url, pid: platform.pid, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    for (const file of ['server.json', 'keys/local-api-key', 'keys/master.key'])
      expect((await stat(join(platform.data, file))).mode & 0o077).toBe(0);
    expect((await stat(join(platform.data, 'keys'))).mode & 0o077).toBe(0);
    expect(platform.key).toMatch(/^plk_[\w-]{43}$/);
  });

  it('contains no plain text in log, blobs and queues', async () => {
    const files = ['log/events.db', 'log/events.db-wal', 'bus/queues.db'];
    for (const file of files) {
      const bytes = await readFile(join(platform.data, file)).catch(() => Buffer.alloc(0));
      expect({ file, leaked: bytes.includes('hippogriffs') }).toEqual({ file, leaked: false });
    }
  });

  it('loses its address at SIGTERM, and the process ends with 0, even during a stalled upload', async () => {
    const { hostname, port } = new URL(platform.url);
    const stalled = connect(Number(port), hostname);
    stalled.on('error', () => undefined);
    await once(stalled, 'connect');
    stalled.write(
      `POST /v1/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${platform.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"sourceId":`,
    );
    await submitText(platform.client, { sourceId: 'last.md', text: 'The last one.' });
    const { code, signal, stdout } = await platform.stop();
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stdout).toContain('SIGTERM');
    await expect(access(join(platform.data, 'server.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    stalled.destroy();
  });
});
