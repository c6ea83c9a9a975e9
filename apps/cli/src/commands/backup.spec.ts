import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderBlobStore, openMasterKey } from '@palimpsest/adapters-folder';
import { openSqliteEventLog } from '@palimpsest/adapters-sqlite';
import { streamName } from '@palimpsest/knowledge/ports';
import { run } from '../../test/run.ts';

const PASSPHRASE = { PALIMPSEST_BACKUP_PASSPHRASE: 'correct horse battery' };

describe('palimpsest backup and restore', () => {
  let cwd: string;

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'palimpsest-cli-backup-'));
    const log = await openSqliteEventLog({ file: join(cwd, '.palimpsest/log/events.db') });
    await log.append(streamName('a'), [{ id: '00000000-0000-4000-8000-000000000001', type: 'Noted', data: {}, metadata: {} }], 'no-stream');
    await log.close();
    await openFolderBlobStore(join(cwd, '.palimpsest/blobs'));
    await openMasterKey(join(cwd, '.palimpsest/keys/master.key'));
    await writeFile(join(cwd, 'passphrase'), 'correct horse battery\n');
    await writeFile(join(cwd, 'key'), `${'7f'.repeat(32)}\n`);
  });
  afterAll(() => rm(cwd, { recursive: true }));

  it('find the data folder, and restore it from one file with one secret', async () => {
    const made = await run(['backup', 'b.backup'], { cwd, env: PASSPHRASE });
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/backed up and verified: 1 events of 1 streams up to position 1/) });
    expect((await run(['backup', '--check', 'b.backup', '--passphrase-file', 'passphrase'], { cwd })).out).toMatch(/^valid: 1 events/);
    const restored = await run(['restore', 'b.backup', '--data', 'restored'], { cwd, env: PASSPHRASE });
    expect(restored).toMatchObject({ code: 0, out: expect.stringMatching(/start it with: PALIMPSEST_DATA=/) });
    expect(await readFile(join(cwd, 'restored/keys/master.key'))).toEqual(await readFile(join(cwd, '.palimpsest/keys/master.key')));
  });

  it('report the same as JSON', async () => {
    const made = await run(['backup', 'j.backup', '--json', '--key-file', 'key'], { cwd });
    expect(JSON.parse(made.out)).toMatchObject({
      file: join(cwd, 'j.backup'),
      size: expect.any(Number),
      position: 1,
      parts: { events: { items: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      missing: { count: 0 },
    });
  });

  it.each<[string, readonly string[], NodeJS.ProcessEnv, RegExp]>([
    ['no secret', ['backup', 'x.backup'], {}, /a passphrase or key is required, because the file contains every document/],
    [
      'two secrets',
      ['backup', 'x.backup', '--key-file', 'key', '--passphrase-file', 'passphrase'],
      {},
      /use either --passphrase-file or --key-file/,
    ],
    [
      'a weak passphrase',
      ['backup', 'x.backup'],
      { PALIMPSEST_BACKUP_PASSPHRASE: 'hunter2' },
      /PALIMPSEST_BACKUP_PASSPHRASE: expected at least 12 characters/,
    ],
    ['an invalid key file', ['backup', 'x.backup', '--key-file', 'passphrase'], {}, /--key-file: expected 64 hexadecimal digits/],
    ['a key file that does not exist', ['backup', 'x.backup', '--key-file', 'none'], {}, /cannot read .*none \(ENOENT\)/],
    ['a missing data folder', ['backup', 'x.backup', '--data', 'nowhere'], PASSPHRASE, /no data folder found: name one with --data/],
    ['a folder that is no data folder', ['backup', 'x.backup', '--data', '.'], PASSPHRASE, /data folder: .*the data folder of a platform/],
    ['a backup that does not exist', ['backup', '--check', 'x.backup'], PASSPHRASE, /cannot read .*x.backup: file or folder not found/],
    ['a file that is no backup', ['restore', 'passphrase', '--data', 'r'], PASSPHRASE, /not a sealed file of Palimpsest/],
    [
      'a folder that is in use',
      ['restore', 'b.backup', '--data', '.palimpsest'],
      PASSPHRASE,
      /an empty folder, or one that does not exist/,
    ],
  ])('refuse %s in one line', async (_, args, env, message) => {
    const before = (await readdir(cwd)).sort();
    const { code, err } = await run(args, { cwd, env });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
    expect(err.trim().split('\n')).toHaveLength(1);
    expect((await readdir(cwd)).sort()).toEqual(before);
  });
});
