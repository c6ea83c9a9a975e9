import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platformConfig } from '@palimpsest/platform/settings';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest, startRefused, type Ended, type Settings } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

/** Expects one readable line without a stack trace, and an exit code. */
const expectRefusal = ({ code, stderr }: Ended, expected: number, line: RegExp): void => {
  const lines = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
  expect({ code, lines }).toEqual({ code: expected, lines: [expect.stringMatching(line)] });
  expect(stderr).not.toMatch(/\n\s+at /);
};

describe('a refused start', () => {
  let standIn: EmbeddingStandIn;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
  });

  it.each<readonly [string, Settings, string]>([
    ['an unknown setting', { PALIMPSEST_PROT: '80' }, 'PALIMPSEST_PROT'],
    ['a port out of range', { PALIMPSEST_PORT: '70000' }, 'PALIMPSEST_PORT'],
    ['a port that is not a number', { PALIMPSEST_PORT: 'http' }, 'PALIMPSEST_PORT'],
    ['a fractional port', { PALIMPSEST_PORT: '80.5' }, 'PALIMPSEST_PORT'],
    ['a number that is too small', { PALIMPSEST_QUEUE_CAPACITY: '0' }, 'PALIMPSEST_QUEUE_CAPACITY'],
    ['a switch that is neither true nor false', { PALIMPSEST_SAMPLES: 'perhaps' }, 'PALIMPSEST_SAMPLES'],
    ['too many dimensions', { PALIMPSEST_OPENAI_MODEL: 'm', PALIMPSEST_OPENAI_DIMENSIONS: '4097' }, 'PALIMPSEST_OPENAI_DIMENSIONS'],
    ['an unknown log level', { PALIMPSEST_LOG_LEVEL: 'loud' }, 'PALIMPSEST_LOG_LEVEL'],
    ['an invalid URL', { PALIMPSEST_OPENAI_MODEL: 'm', PALIMPSEST_OPENAI_BASE_URL: 'somewhere' }, 'PALIMPSEST_OPENAI_BASE_URL'],
  ])('names the setting: %s', (_, settings, field) => {
    expect(() => platformConfig(settings)).toThrow(expect.objectContaining({ code: 'InvalidValue', field }));
  });

  it.each<readonly [string, Settings, RegExp]>([
    ['an unknown setting', { PALIMPSEST_PROT: '80' }, /^palimpsest: PALIMPSEST_PROT: expected one of/],
    ['a model folder that does not exist', { PALIMPSEST_MODEL: '/no/such/model' }, /\/no\/such\/model/],
    [
      'a host of another machine',
      { PALIMPSEST_HOST: '192.0.2.1', PALIMPSEST_OPENAI_MODEL: 'm', PALIMPSEST_OPENAI_API_KEY: 'k' },
      /PALIMPSEST_HOST/,
    ],
  ])('%s', async (_, settings, line) => {
    expectRefusal(await startRefused(await aDataFolder(), settings), 2, line);
  });

  it('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    afterSuite(async () => void other.close());
    const data = await aDataFolder();
    const { port } = other.address() as AddressInfo;
    expectRefusal(await startRefused(data, { ...standIn.settings(), PALIMPSEST_PORT: String(port) }), 2, /the port is in use/);
    await expect(readFile(join(data, 'server.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a data folder inside a file', async () => {
    const folder = await aDataFolder();
    await writeFile(join(folder, 'file'), 'no folder');
    expectRefusal(
      await startRefused(join(folder, 'file', 'data'), standIn.settings()),
      2,
      /PALIMPSEST_DATA: expected a folder that can be read and written/,
    );
  });

  it('a data folder of another user', async () => {
    const data = await aDataFolder();
    await chmod(data, 0o755);
    const first = await PlatformUnderTest.start(data, standIn.settings());
    await first.stop();
    if (process.getuid?.() !== 0) {
      await chmod(join(data, 'log'), 0o500);
      expectRefusal(await startRefused(data, standIn.settings()), 2, /./);
      return;
    }
    // Root may read everything, so the start runs as another user.
    const main = join(import.meta.dirname, '../../../apps/platform/dist/main.js');
    const env = { PATH: process.env['PATH'], PALIMPSEST_DATA: data, PALIMPSEST_PORT: '0', ...standIn.settings() };
    const started = promisify(execFile)(process.execPath, [main], { env, uid: 65_534, gid: 65_534, cwd: '/' });
    const failed = (await started.catch((error: unknown) => error)) as { code: number; stderr: string };
    expect({ code: failed.code, lines: failed.stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(failed.stderr).toMatch(/PALIMPSEST_DATA/);
  });

  it('a second process on the same folder; the first one is not affected', async () => {
    const data = await aDataFolder();
    const first = await PlatformUnderTest.start(data, standIn.settings());
    const before = await readFile(join(data, 'server.json'), 'utf8');
    expectRefusal(await startRefused(data, standIn.settings()), 2, /one process at a time/);
    expect(await readFile(join(data, 'server.json'), 'utf8')).toBe(before);
    expect((await submitText(first.client, { sourceId: 'still.md', text: 'It still works.' })).document.status).toBe('indexed');
  });

  describe('on an existing folder', () => {
    let data: string;
    beforeAll(async () => {
      data = await aDataFolder();
      const platform = await PlatformUnderTest.start(data, standIn.settings());
      for (let i = 0; i < 5; i++) await submitText(platform.client, { sourceId: `${i}.md`, text: `Sealed text number ${i}.` });
      expect((await platform.stop()).code).toBe(0);
    });

    it('a wrong master key', async () => {
      const file = join(data, 'keys', 'master.key');
      const right = await readFile(file);
      await writeFile(file, `${'ab'.repeat(32)}\n`, { mode: 0o600 });
      expectRefusal(await startRefused(data, standIn.settings()), 2, /master key/i);
      await writeFile(file, 'not a key\n');
      expectRefusal(await startRefused(data, standIn.settings()), 2, /master key file .* expected 64 hexadecimal digits/);
      await writeFile(file, right);
      await chmod(file, 0o644);
      expectRefusal(await startRefused(data, standIn.settings()), 2, /chmod 600/);
      await chmod(file, 0o600);
    });

    it('a missing master key: no new one is created, and the old one works when it is restored', async () => {
      const file = join(data, 'keys', 'master.key');
      const right = await readFile(file);
      await rm(file);
      expectRefusal(
        await startRefused(data, standIn.settings()),
        2,
        /the master key file .*master\.key is missing.* Restore the file from a backup and start again\. No new key was created/,
      );
      await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
      await writeFile(file, right, { mode: 0o600 });
    });

    it('missing keys of all scopes: no new ones are created', async () => {
      const [keys, aside] = [join(data, 'blobs', 'keys'), join(data, 'keys-aside')];
      await rename(keys, aside);
      expectRefusal(await startRefused(data, standIn.settings()), 1, /the keys of scopes in .*blobs\/keys are missing.* restore/);
      await expect(readdir(keys)).rejects.toMatchObject({ code: 'ENOENT' });
      await rename(aside, keys);
    });

    it('a log that is not a database', async () => {
      const log = join(data, 'log', 'events.db');
      const right = await readFile(log);
      await writeFile(log, 'This is no database, though it is long enough to be looked at. '.repeat(50));
      expectRefusal(await startRefused(data, standIn.settings()), 2, /event log .* expected an event log/);
      await writeFile(log, right);
    });

    it('a log with changed events', async () => {
      const log = join(data, 'log', 'events.db');
      const right = await readFile(log);
      const wrong = Buffer.from(right);
      const at = wrong.lastIndexOf('"origin":"UserContent"');
      expect(at).toBeGreaterThan(0);
      wrong.write('"origin":"UserContenT"', at);
      await writeFile(log, wrong);
      await rm(join(data, 'read-models'), { recursive: true });
      const again = await PlatformUnderTest.start(data, standIn.settings(), { ready: false });
      const status = async () => (await again.ask('GET /health/ready')).json['status'];
      await eventually('the readiness check reports it', async () => ((await status()) === 'projection failing' ? true : undefined));
      expect((await again.ask('POST /v1/search', { json: { query: 'text' } })).status).toBe(503);
      expect(again.stderr).toMatch(/checksum|corrupt|damaged/i);
      await again.kill();
      await writeFile(log, right);
    });

    it('succeeds after the damage is repaired', async () => {
      const platform = await PlatformUnderTest.start(data, standIn.settings());
      expect((await platform.client.operations.verify()).clean).toBe(true);
      expect(
        (await platform.client.search({ query: 'Sealed text number 3', strategy: 'SparseOnly' })).hits.map(({ source }) => source),
      ).toContain('3.md');
    });
  });
});
