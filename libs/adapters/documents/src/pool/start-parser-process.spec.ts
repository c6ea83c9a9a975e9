import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParserProcess } from './start-parser-process.ts';

const ROGUE = new URL('../../test/rogue-parser.ts', import.meta.url);
const DENIED = 'ERR_ACCESS_DENIED';

/** Runs each attempt in a parser process. Returns their results by name. */
const tried = async (attempts: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
  const child = startParserProcess(300_000_000, ROGUE);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  try {
    const results = new Promise<Record<string, string>>((resolve, reject) => {
      child.on('message', ({ type, results }: { type: string; results: Record<string, string> }) => {
        if (type === 'ready') child.send(attempts);
        else resolve(results);
      });
      child.once('exit', () => reject(new Error(`the process ended: ${stderr}`)));
    });
    return await results;
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
};

const reads = (path: string): string => `require('node:fs').readFileSync(${JSON.stringify(path)})`;
const all = (attempts: Readonly<Record<string, string>>, outcome: string): Record<string, string> =>
  Object.fromEntries(Object.keys(attempts).map((name) => [name, outcome]));

describe('code in a parser process', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'palimpsest-data-'));
    for (const folder of ['keys', 'blobs/acme']) await mkdir(join(data, folder), { recursive: true });
    await writeFile(join(data, 'keys/master.key'), 'secret');
    await writeFile(join(data, 'blobs/acme/upload'), 'sealed');
  });
  afterAll(() => rm(data, { recursive: true, force: true }));

  it('can read its own code, so that the attempts below fail for the tested reason', async () => {
    expect(await tried({ code: reads(new URL('../parse-file.ts', import.meta.url).pathname), package: "require('yaml')" })).toEqual({
      code: 'done',
      package: 'done',
    });
  });

  it('cannot read keys, blobs, the home folder or system files', async () => {
    const attempts = {
      key: reads(join(data, 'keys/master.key')),
      blob: reads(join(data, 'blobs/acme/upload')),
      folder: `require('node:fs').readdirSync(${JSON.stringify(data)})`,
      passwd: reads('/etc/passwd'),
      home: `require('node:fs').readdirSync(${JSON.stringify(homedir())})`,
      parent: "require('node:fs').readFileSync('/proc/' + process.ppid + '/environ')",
      repository: reads(new URL('../../../../../package.json', import.meta.url).pathname),
    };
    expect(await tried(attempts)).toEqual(all(attempts, DENIED));
  });

  it('cannot read them through threads or databases either', async () => {
    const attempts = {
      thread:
        'new (require(\'node:worker_threads\').Worker)(\'require("node:fs").readFileSync("/etc/passwd")\', { eval: true, execArgv: [] })',
      imported: "const { Worker } = await import('node:worker_threads'); new Worker('', { eval: true, execArgv: [] })",
      builtin: "new (process.getBuiltinModule('node:worker_threads').Worker)('', { eval: true, execArgv: [] })",
    };
    expect(await tried(attempts)).toEqual(all(attempts, DENIED));
    expect(await tried({ sqlite: `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(join(data, 'x.db'))})` })).toEqual({
      sqlite: 'ERR_UNKNOWN_BUILTIN_MODULE',
    });
  });

  it('cannot write files', async () => {
    const file = JSON.stringify(join(data, 'written'));
    const attempts = {
      write: `require('node:fs').writeFileSync(${file}, '')`,
      link: `require('node:fs').symlinkSync('/etc/passwd', ${file})`,
      snapshot: `require('node:v8').writeHeapSnapshot(${file})`,
      report: `process.report.writeReport(${file})`,
    };
    expect(await tried(attempts)).toEqual(all(attempts, DENIED));
    expect(await readdir(data)).toEqual(['blobs', 'keys']);
  });

  it('cannot start programs, load native code or stop other processes', async () => {
    const attempts = {
      exec: "require('node:child_process').execFileSync('id')",
      fork: "require('node:child_process').fork('x.js')",
      parent: "process.kill(process.ppid, 'SIGTERM')",
      imported: "(await import('node:process')).kill(process.ppid, 0)",
    };
    expect(await tried(attempts)).toEqual(all(attempts, DENIED));
    expect(await tried({ native: "process.dlopen({ exports: {} }, '/lib/x.node')" })).toEqual({ native: 'ERR_DLOPEN_DISABLED' });
  });

  it('cannot access the network', async () => {
    const attempts = {
      net: "await new Promise((ok, no) => require('node:net').connect(1, '127.0.0.1').on('connect', ok).on('error', no))",
      fetch: "await fetch('http://127.0.0.1:61999')",
      tls: "require('node:tls').connect(1, '127.0.0.1')",
      unix: "require('node:net').connect('/var/run/docker.sock')",
      listen: "require('node:net').createServer().listen(0)",
      datagram: "require('node:dgram').createSocket('udp4').send('x', 1, '127.0.0.1')",
      lookup: "await require('node:dns').promises.lookup('localhost')",
      resolve: "require('node:dns').resolve4('localhost', () => undefined)",
      resolver: "new (require('node:dns').Resolver)()",
    };
    expect(await tried(attempts)).toEqual(all(attempts, DENIED));
  });

  it('has no secrets in its environment', async () => {
    process.env['PALIMPSEST_TEST_SECRET'] = 'secret';
    const known =
      "const others = Object.keys(process.env).filter((name) => !['TZ', 'LANG'].includes(name)); if (others.length > 0) throw new Error(others.join())";
    expect(await tried({ environment: known })).toEqual({ environment: 'done' });
    delete process.env['PALIMPSEST_TEST_SECRET'];
  });
});
