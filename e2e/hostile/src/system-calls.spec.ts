import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask } from '@palimpsest/e2e-support/ask';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { ensureStrace, outsideOf, traceInto } from './system-calls.ts';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

const MAIN = fileURLToPath(new URL('../../../apps/platform/dist/main.js', import.meta.url));
const FIXTURES = new URL('../../../libs/adapters/documents/test/fixtures/', import.meta.url);

type Traced = Readonly<{ code: number | null; trace: string; stderr: string; outside: ReturnType<typeof outsideOf>; leftAtHome: string[] }>;

/** Runs a program under strace with an empty home and temporary folder, and uses it while it runs. */
const traced = async (args: readonly string[], meanwhile: (data: string, root: string) => Promise<void>): Promise<Traced> => {
  const root = await aDataFolder();
  const [data, home, file] = [join(root, 'data'), join(root, 'home'), join(root, 'trace')];
  await mkdir(home);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    TMPDIR: home,
    PALIMPSEST_DATA: data,
    PALIMPSEST_PORT: '0',
    PALIMPSEST_SAMPLES: 'false',
  };
  const child = spawn('strace', [...traceInto(file), process.execPath, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  // Kills the whole process group, because the traced processes would outlive strace.
  afterSuite(() => Promise.resolve(child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGKILL')));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  await Promise.race([
    meanwhile(data, root),
    ended.then(() => {
      throw new Error(`the program ended immediately: ${stderr}`);
    }),
  ]);
  const [code] = await ended;
  const trace = await readFile(file, 'utf8');
  return { code, trace, stderr, outside: outsideOf(data, trace), leftAtHome: await readdir(home, { recursive: true }) };
};

const exists = async (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

/** Start, two documents of which one needs a parser process, a search, stop. */
const useThePlatform = async (data: string): Promise<void> => {
  const server = await eventually('the platform listens', async () => {
    const text = await exists(join(data, 'server.json'));
    return text?.endsWith('\n') === true ? (JSON.parse(text) as { url: string; pid: number }) : undefined;
  });
  const key = (await readFile(join(data, 'keys', 'local-api-key'), 'utf8')).trim();
  for (const name of ['notes.md', 'report.pdf']) {
    const body = new FormData();
    body.append('file', new Blob([await readFile(new URL(name, FIXTURES))]), name);
    expect((await ask(server.url, 'POST /v1/documents', { key, body })).status).toBe(202);
  }
  await eventually('both documents are indexed', async () => {
    const { json } = await ask(server.url, 'GET /v1/documents?status=indexed', { key });
    return (json as { documents?: readonly unknown[] }).documents?.length === 2 || undefined;
  });
  expect((await ask(server.url, 'POST /v1/search', { key, json: { query: 'report' } })).status).toBe(200);
  process.kill(server.pid, 'SIGTERM');
};

describe('the platform, traced from start to stop', () => {
  let run: Traced;
  beforeAll(async () => {
    ensureStrace();
    run = await traced([MAIN], useThePlatform);
  });

  it('opens the built-in model and stops cleanly, so that the trace covers everything', () => {
    expect({ code: run.code, stderr: run.stderr.split('\n').filter((line) => line.includes('"level":50')) }).toEqual({
      code: 0,
      stderr: [],
    });
    expect(run.trace).toContain('onnxruntime_binding.node');
  });

  it('connects only to loopback addresses', () => {
    expect(run.outside.outward).toEqual([]);
  });

  it('resolves no host name', () => {
    expect(run.outside.lookups).toEqual([]);
  });

  it('writes to no file outside of its data folder', () => {
    expect(run.outside.written).toEqual([]);
    expect(run.leftAtHome).toEqual([]);
  });

  it('starts no program except Node', () => {
    expect(run.outside.programs).toEqual([process.execPath]);
  });
});

describe('the trace itself', () => {
  it('shows a connection, a lookup and a written file of a test program', async () => {
    ensureStrace();
    // Connecting a datagram socket sends nothing; the address is reserved for documentation (RFC 5737).
    const program = `
      const { writeFileSync } = require('node:fs');
      writeFileSync('outside', '');
      require('node:dns').lookup('localhost', () => {
        const socket = require('node:dgram').createSocket('udp4');
        socket.connect(443, '192.0.2.1', () => socket.close());
        socket.on('error', () => socket.close());
      });`;
    let root = '';
    const { outside } = await traced(['-e', program], (_data, folder) => {
      root = folder;
      return Promise.resolve();
    });
    expect(outside.written).toEqual([join(root, 'outside')]);
    expect(outside.outward).toEqual([expect.stringContaining('192.0.2.1')]);
    expect(outside.lookups.length).toBeGreaterThan(0);
  });
});
