import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { proofOf } from '@palimpsest/backup/local-server';
import { FakePlatform, problem } from '../test/fake-platform.ts';
import { aFolder, run } from '../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
  platform.on('GET /v1/knowledge-bases', () => ({ json: { knowledgeBases: [] } }));
});
afterEach(() => platform.close());

/** An address where nothing listens. */
const deadAddress = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
};

/** A data folder with a local key and, if its server is running, its record. */
const aDataFolder = (record: Readonly<{ url: string }> | undefined) =>
  aFolder({
    '.palimpsest/keys/local-api-key': 'plk_local\n',
    'deep/er/x.md': '',
    ...(record === undefined ? {} : { '.palimpsest/server.json': JSON.stringify({ ...record, pid: 1, startedAt: '' }) }),
  });

describe('The program', () => {
  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^palimpsest \d+\.\d+\.\d+\n$/) });
  });
});

describe('The server', () => {
  it('is the one that the options name, with the given key, wherever the options are', async () => {
    const options = ['--url', platform.url, '--api-key', 'plk_mine'];
    expect(await run([...options, 'knowledge-bases'])).toMatchObject({ code: 0, out: 'no knowledge bases\n' });
    expect(await run(['knowledge-bases', ...options])).toMatchObject({ code: 0 });
    expect(platform.requests.map(({ key }) => key)).toEqual(['Bearer plk_mine', 'Bearer plk_mine']);
  });

  it('comes from the environment if no option names it', async () => {
    await run(['kb'], { env: { PALIMPSEST_URL: platform.url, PALIMPSEST_API_KEY: 'plk_env' } });
    expect(platform.requests[0]?.key).toBe('Bearer plk_env');
  });

  it('is found through the data folder, in the working folder or above it', async () => {
    platform.on('GET /health/local', ({ query }) => ({ json: { proof: proofOf('plk_local', platform.url, query.get('nonce') ?? '') } }));
    const folder = await aDataFolder({ url: platform.url });
    await run(['kb'], { cwd: `${folder.path}/deep/er` });
    await run(['kb'], { env: { PALIMPSEST_DATA: `${folder.path}/.palimpsest` } });
    await run(['kb'], { cwd: folder.path, env: { PALIMPSEST_API_KEY: 'plk_env' } });
    await folder.remove();
    expect(platform.requestsTo('GET /v1/knowledge-bases').map(({ key }) => key)).toEqual([
      'Bearer plk_local',
      'Bearer plk_local',
      'Bearer plk_env',
    ]);
    expect(platform.requestsTo('GET /health/local').map(({ key }) => key)).toEqual([undefined, undefined, undefined]);
  });

  it('never receives the key of this machine if it is another server', async () => {
    const folder = await aDataFolder({ url: 'http://127.0.0.1:1' });
    await run(['kb', '--url', platform.url], { cwd: folder.path });
    await folder.remove();
    expect(platform.requests[0]?.key).toBeUndefined();
  });

  it.each([
    ['nothing', {}],
    ['a proof for another nonce', { proof: proofOf('plk_local', 'http://127.0.0.1:1', '0'.repeat(64)) }],
  ])('never receives a key when it took over the address of a stopped server and returns %s', async (_name, answer) => {
    platform.on('GET /health/local', () => ({ json: answer }));
    const folder = await aDataFolder({ url: platform.url });
    const runs = [
      await run(['kb'], { cwd: folder.path }),
      await run(['kb', '--url', platform.url], { cwd: folder.path }),
      await run(['kb'], { cwd: folder.path, env: { PALIMPSEST_API_KEY: 'plk_env' } }),
    ];
    await folder.remove();
    for (const { code, err } of runs)
      expect({ code, err }).toEqual({
        code: 2,
        err: `palimpsest: the program at ${platform.url} is not the server of ${folder.path}/.palimpsest, and no key was sent to it: start (or restart) the server, or name another one with --url and --api-key\n`,
      });
    expect(platform.requests.map(({ route, key }) => ({ route, key }))).toEqual(
      runs.map(() => ({ route: 'GET /health/local', key: undefined })),
    );
  });

  it('is asked for its proof again while it refuses because of its load, and receives no key before', async () => {
    let refusals = 2;
    platform.on('GET /health/local', ({ query }) =>
      refusals-- > 0
        ? { status: 429, headers: { 'retry-after': '0' }, json: { status: 429, code: 'Overloaded', title: 'Too busy', detail: 'later' } }
        : { json: { proof: proofOf('plk_local', platform.url, query.get('nonce') ?? '') } },
    );
    platform.on('GET /v1/knowledge-bases', () => ({ json: { knowledgeBases: [] } }));
    const folder = await aDataFolder({ url: platform.url });
    expect(await run(['kb'], { cwd: folder.path })).toMatchObject({ code: 0 });
    await folder.remove();
    expect(platform.requests.map(({ route, key }) => [route, key])).toEqual([
      ...[1, 2, 3].map(() => ['GET /health/local', undefined]),
      ['GET /v1/knowledge-bases', 'Bearer plk_local'],
    ]);
  });

  it('never receives a key with a proof that it obtained from the real server at another address', async () => {
    const real = await FakePlatform.open();
    real.on('GET /health/local', ({ query }) => ({ json: { proof: proofOf('plk_local', real.url, query.get('nonce') ?? '') } }));
    platform.on('GET /health/local', async ({ query }) => ({
      json: await (await fetch(`${real.url}/health/local?nonce=${query.get('nonce')}`)).json(),
    }));
    const folder = await aDataFolder({ url: platform.url });
    expect(await run(['kb'], { cwd: folder.path })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`the program at ${platform.url} is not the server of`),
    });
    await folder.remove();
    await real.close();
    expect([...platform.requests, ...real.requests].map(({ key }) => key)).toEqual([undefined, undefined]);
  });

  it('is not searched for elsewhere while the server of the data folder is starting or stopped', async () => {
    const folder = await aDataFolder(undefined);
    const outer = await aDataFolder({ url: platform.url });
    const data = `${folder.path}/.palimpsest`;
    const expected = {
      code: 2,
      out: '',
      err: `palimpsest: no server is running for ${data}, or it is still starting: start one with \`palimpsest start\`, or name another one with --url and --api-key\n`,
    };
    expect(await run(['kb'], { cwd: folder.path })).toEqual(expected);
    expect(await run(['kb'], { cwd: outer.path, env: { PALIMPSEST_DATA: data } })).toEqual(expected);
    expect(await run(['kb'], { cwd: folder.path, env: { PALIMPSEST_API_KEY: 'plk_env' } })).toEqual(expected);
    for (const { remove } of [folder, outer]) await remove();
    expect(platform.requests).toEqual([]);
  });
});

describe('A failure', () => {
  it('to connect prints one line with a hint and exits with code 2', async () => {
    const url = await deadAddress();
    expect(await run(['status', '--url', url])).toEqual({
      code: 2,
      out: '',
      err: `palimpsest: no server answers at ${url}: start one with \`palimpsest start\`\n`,
    });
  });

  it('of the key explains where a key comes from', async () => {
    platform.on('GET /v1/status', () => problem(401, 'Unauthenticated', 'no such key'));
    const { code, err } = await run(['status', '--url', platform.url]);
    expect(code).toBe(2);
    expect(err).toContain(
      `palimpsest: the server at ${platform.url} does not accept the API key: use --api-key or PALIMPSEST_API_KEY. If the key is from keys/local-api-key`,
    );
  });

  it('prints its stack trace only in debug mode', async () => {
    const url = await deadAddress();
    expect((await run(['status', '--url', url])).err).not.toContain('    at ');
    expect((await run(['status', '--url', url], { env: { PALIMPSEST_DEBUG: '1' } })).err).toContain('    at ');
  });

  it('to parse the command line exits with code 2; --help is not a failure', async () => {
    expect(await run(['serch'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean search?') });
    expect(await run([])).toMatchObject({ code: 2 });
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('ingest') });
    expect(await run(['ingest', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--api-key') });
  });
});
