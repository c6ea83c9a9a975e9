import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

const CLI = fileURLToPath(new URL('../../../apps/cli/bin/palimpsest.mjs', import.meta.url));

type Ran = Readonly<{ code: number | null; out: string; err: string }>;

const palimpsest = async (args: readonly string[], data: string): Promise<Ran> => {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_')));
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...inherited, PALIMPSEST_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
};

/** A program that took over an address, and stores everything that it receives. */
const anImpostor = async (
  port: number,
  answer: (request: IncomingMessage) => Promise<string>,
): Promise<{ url: string; received: string[] }> => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    void answer(request).then((body) => response.end(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  afterSuite(() => (server.closeAllConnections(), new Promise((closed) => server.close(closed))));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
};

describe('the command line, when another program listens on the address of its server', () => {
  it('sends the key of a data folder to the server of that folder', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    expect(await palimpsest(['keys', 'whoami'], platform.data)).toMatchObject({ code: 0, out: expect.stringContaining('default') });
    await platform.stop();
  });

  it('sends no key to a program that took over the address of a killed server', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.kill();
    const impostor = await anImpostor(Number(new URL(platform.url).port), () => Promise.resolve('{}'));
    const { code, err } = await palimpsest(['status'], platform.data);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(new RegExp(`^palimpsest: the program at ${impostor.url} is not the server of [^\n]+\n$`)),
    });
    expect(impostor.received.length).toBe(1);
    expect(impostor.received.join()).not.toMatch(/plk_|authorization/i);
  });

  it('sends no key to a program that forwards the proof of the real server', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    const relay = async (request: IncomingMessage): Promise<string> => (await fetch(`${platform.url}${request.url}`)).text();
    const impostor = await anImpostor(0, relay);
    const copy = join(await aDataFolder(), 'copy');
    await mkdir(copy);
    await cp(join(platform.data, 'keys'), join(copy, 'keys'), { recursive: true });
    await writeFile(
      join(copy, 'server.json'),
      JSON.stringify({ url: impostor.url, pid: platform.pid, startedAt: new Date().toISOString() }),
    );
    expect(await palimpsest(['status'], copy)).toMatchObject({ code: 2, err: expect.stringContaining('no key was sent to it') });
    expect(impostor.received.join()).not.toMatch(/plk_|authorization/i);
    await platform.stop();
  });

  it('reports the data folder and sends nothing while its server is starting or stopped', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.stop();
    expect((await readFile(join(platform.data, 'keys', 'local-api-key'), 'utf8')).trim()).toBe(platform.key);
    expect(await palimpsest(['status'], platform.data)).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(new RegExp(`^palimpsest: no server is running for ${platform.data}, or it is still starting: [^\n]+\n$`)),
    });
  });

  it('uses the new address as soon as another server starts on the folder of a killed one', async () => {
    const data = await aDataFolder();
    const first = await PlatformUnderTest.start(data);
    await first.kill();
    const second = await PlatformUnderTest.start(data);
    expect(JSON.parse(await readFile(join(data, 'server.json'), 'utf8'))).toMatchObject({ url: second.url, pid: second.pid });
    expect(await palimpsest(['keys', 'whoami'], data)).toMatchObject({ code: 0 });
    await second.stop();
  });
});

describe('the command line, when it ingests a folder with secrets', () => {
  it('does not send passwords, private keys and hidden folders, and reports them', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    const folder = join(await aDataFolder(), 'project');
    await mkdir(join(folder, '.git'), { recursive: true });
    for (const name of ['plan.md', '.env', '.git/config', 'server.pem', 'credentials.json'])
      await writeFile(join(folder, name), 'The lamp burns.');
    const { code, out } = await palimpsest(['ingest', folder], platform.data);
    expect(code).toBe(0);
    for (const name of ['.env', '.git', 'server.pem', 'credentials.json']) expect(out).toContain(`  project/${name}: `);
    expect((await platform.client.documents.list()).documents.map(({ sourceId }) => sourceId)).toEqual(['project/plan.md']);
    await platform.stop();
  });
});
