import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { FakePlatform, problem } from '../test/fake-platform.ts';
import { aFolder, run } from '../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
  platform.on('GET /v1/knowledge-bases', () => ({ json: { knowledgeBases: [] } }));
});
afterEach(() => platform.close());

/** An address at which nothing listens. */
const deadAddress = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
};

describe('The program', () => {
  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^palimpsest \d+\.\d+\.\d+\n$/) });
  });
});

describe('The server', () => {
  it('is the one that is named, with the key that is named, wherever the options stand', async () => {
    const options = ['--url', platform.url, '--api-key', 'plk_mine'];
    expect(await run([...options, 'knowledge-bases'])).toMatchObject({ code: 0, out: 'no knowledge bases\n' });
    expect(await run(['knowledge-bases', ...options])).toMatchObject({ code: 0 });
    expect(platform.asked.map(({ key }) => key)).toEqual(['Bearer plk_mine', 'Bearer plk_mine']);
  });

  it('comes from the environment when no option names it', async () => {
    await run(['kb'], { env: { PALIMPSEST_URL: platform.url, PALIMPSEST_API_KEY: 'plk_env' } });
    expect(platform.asked[0]?.key).toBe('Bearer plk_env');
  });

  it('is found by the data folder, in the working folder or above it', async () => {
    const folder = await aFolder({
      '.palimpsest/server.json': JSON.stringify({ url: platform.url, pid: 1, startedAt: '' }),
      '.palimpsest/keys/local-api-key': 'plk_local\n',
      'deep/er/x.md': '',
    });
    await run(['kb'], { cwd: `${folder.path}/deep/er` });
    await run(['kb'], { env: { PALIMPSEST_DATA: `${folder.path}/.palimpsest` } });
    await folder.remove();
    expect(platform.asked.map(({ key }) => key)).toEqual(['Bearer plk_local', 'Bearer plk_local']);
  });

  it("never gets this machine's key when it is another one", async () => {
    const folder = await aFolder({
      '.palimpsest/server.json': '{"url":"http://127.0.0.1:1"}',
      '.palimpsest/keys/local-api-key': 'plk_local',
    });
    await run(['kb', '--url', platform.url], { cwd: folder.path });
    await folder.remove();
    expect(platform.asked[0]?.key).toBeUndefined();
  });
});

describe('A failure', () => {
  it('to connect is one line that says what to do, and exit code 2', async () => {
    const url = await deadAddress();
    expect(await run(['status', '--url', url])).toEqual({
      code: 2,
      out: '',
      err: `palimpsest: no server answers at ${url}: start one with \`palimpsest start\`\n`,
    });
  });

  it('of the key says where a key comes from', async () => {
    platform.on('GET /v1/status', () => problem(401, 'Unauthenticated', 'no such key'));
    const { code, err } = await run(['status', '--url', platform.url]);
    expect(code).toBe(2);
    expect(err).toMatch(/^palimpsest: the server does not accept the API key: use --api-key or PALIMPSEST_API_KEY\. If the key is from keys\/local-api-key .* damaged .*\n$/);
  });

  it('shows its stack only when it is debugged', async () => {
    const url = await deadAddress();
    expect((await run(['status', '--url', url])).err).not.toContain('    at ');
    expect((await run(['status', '--url', url], { env: { PALIMPSEST_DEBUG: '1' } })).err).toContain('    at ');
  });

  it('to understand the command line is exit code 2; asking for help is not a failure', async () => {
    expect(await run(['serch'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean search?') });
    expect(await run([])).toMatchObject({ code: 2 });
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('ingest') });
    expect(await run(['ingest', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--api-key') });
  });
});
