import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

const START = fileURLToPath(new URL('../../../tools/setup/start.mjs', import.meta.url));
const CLI = fileURLToPath(new URL('../../../apps/cli/bin/palimpsest.mjs', import.meta.url));

/** Starts a command on a pseudo terminal (`script` of util-linux), waits for its hints and stops the platform. Returns the output. */
const onATerminal = async (command: readonly string[], data: string): Promise<string> => {
  const line = [process.execPath, ...command].map((part) => `'${part}'`).join(' ');
  const env = { ...process.env, PALIMPSEST_DATA: data, PALIMPSEST_PORT: '0', PALIMPSEST_SAMPLES: 'false' };
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  afterSuite(() => Promise.resolve(child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGKILL')));
  const closed = once(child, 'close');
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  await eventually('the platform is started', () => Promise.resolve(shown.includes('Try:') || undefined), 180_000);
  const { pid } = JSON.parse(await readFile(join(data, 'server.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGTERM');
  await closed;
  return shown;
};

describe('the local administrator key', () => {
  it('is not in output to a file or a pipe, which only names the file of the key', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.ask('GET /v1/status');
    await platform.ask(`GET /health/local?nonce=${'0'.repeat(64)}`);
    const { stdout, stderr } = await platform.stop();
    expect(stdout).toContain(
      `Open ${platform.url}/ and sign in with the key that is stored in ${join(platform.data, 'keys', 'local-api-key')}\n`,
    );
    expect(`${stdout}${stderr}`).not.toContain(platform.key);
    expect(`${stdout}${stderr}`).not.toMatch(/plk_/);
  });

  it.each([
    ['npm start', [START]],
    ['palimpsest start', [CLI, 'start']],
  ])('is shown by `%s` on a terminal, in the address of the console', async (_name, command) => {
    const data = await aDataFolder();
    const shown = await onATerminal(command, data);
    expect(shown).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/#key=plk_\S+\r?$/m);
  });
});

describe('the proof that a local server gives', () => {
  it('needs no key, differs for each nonce, and is refused for an invalid nonce', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    const proofFor = async (nonce: string) => platform.ask(`GET /health/local?nonce=${nonce}`, { key: undefined });
    const [one, other] = [await proofFor('0'.repeat(64)), await proofFor('1'.repeat(64))];
    expect(one.json).toEqual({ proof: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(other.json['proof']).not.toBe(one.json['proof']);
    for (const nonce of ['', 'x', '0'.repeat(63), '0'.repeat(64_00)]) expect((await proofFor(nonce)).status).toBe(400);
    expect((await platform.ask(`GET /health/local?nonce=${'0'.repeat(64)}&nonce=${'1'.repeat(64)}`, { key: undefined })).status).toBe(400);
    await platform.stop();
  });
});
