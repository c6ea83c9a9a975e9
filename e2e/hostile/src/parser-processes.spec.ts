import { readdir, readFile, readlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';

const PDF = new URL('../../../libs/adapters/documents/test/fixtures/report.pdf', import.meta.url);

/** The child processes of a process, on Linux. */
const childrenOf = async (pid: number): Promise<number[]> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')));
  return lists
    .flatMap((list) => list.trim().split(/\s+/))
    .filter((child) => child !== '')
    .map(Number);
};

const listOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8')).split('\0').filter((part) => part !== '');

describe('a parser process in which a hostile file executes code', () => {
  let platform: PlatformUnderTest;
  let parsers: number[];
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_BACKUP_PASSPHRASE: 'a passphrase in the environment' });
    await platform.client.documents.upload([{ name: 'report.pdf', content: await readFile(PDF) }]);
    parsers = await eventually('a parser is running', async () => {
      // A process that was just forked still has the command line of its parent.
      const children = await childrenOf(platform.pid);
      const names = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
      const found = children.filter((_, at) => names[at]?.includes('parse-worker'));
      return found.length > 0 ? found : undefined;
    });
  });
  afterAll(() => platform.stop());

  it('may only read folders with code, not the data folder, home folders or system files', async () => {
    for (const pid of parsers) {
      const given = (await listOf(`/proc/${pid}/cmdline`)).filter((argument) => argument.startsWith('--allow-'));
      expect(given.filter((flag) => !flag.startsWith('--allow-fs-read='))).toEqual(['--allow-worker']);
      const readable = given.flatMap((flag) => /^--allow-fs-read=(.*)$/.exec(flag)?.[1] ?? []);
      expect(readable.length).toBeGreaterThan(0);
      for (const folder of readable) expect(folder).toMatch(/\/(?:node_modules|libs\/adapters\/documents)\/$/);
      for (const secret of [`${platform.data}/keys/master.key`, '/etc/passwd', `${homedir()}/.ssh/id_rsa`, `/proc/${platform.pid}/environ`])
        expect(readable.filter((folder) => secret.startsWith(folder))).toEqual([]);
    }
  });

  it('has no setting, key or secret in its environment', async () => {
    for (const pid of parsers)
      expect((await listOf(`/proc/${pid}/environ`)).map((entry) => entry.split('=')[0]).sort()).toEqual([
        'LANG',
        'NODE_CHANNEL_FD',
        'NODE_CHANNEL_SERIALIZATION_MODE',
        'TZ',
      ]);
  });

  it('has no open file of the data folder', async () => {
    for (const pid of parsers) {
      const open = await Promise.all((await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
      expect(open.filter((path) => path.startsWith(platform.data))).toEqual([]);
    }
  });
});
