import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { MasterKeyMissing, openMasterKey } from './master-key.ts';

describe('openMasterKey', () => {
  let root: string;
  let file: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'palimpsest-master-'));
    file = join(root, 'keys', 'master.key');
  });
  afterEach(() => rm(root, { recursive: true }));

  it('creates a key that only its owner can read, and reads it again', async () => {
    const key = await openMasterKey(file);
    expect(key).toHaveLength(32);
    expect(await openMasterKey(file)).toEqual(key);
    expect(await readFile(file, 'utf8')).toBe(`${Buffer.from(key).toString('hex')}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, 'keys'))).mode & 0o777).toBe(0o700);
  });

  it('creates no key when data exists that only the missing key can open', async () => {
    await expect(openMasterKey(file, async () => true)).rejects.toThrow(MasterKeyMissing);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const key = await openMasterKey(file);
    expect(await openMasterKey(file, async () => true)).toEqual(key);
  });

  it('returns the same key to several concurrent calls that create it', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => openMasterKey(file)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(await readdir(join(root, 'keys'))).toEqual(['master.key']);
  });

  it.each(['640', '604', '620'])('refuses a file with mode %s and reports how to fix it', async (mode) => {
    await openMasterKey(file);
    await chmod(file, Number.parseInt(mode, 8));
    await expect(openMasterKey(file)).rejects.toThrow(/only its owner can read \(chmod 600/);
  });

  it.each(['', 'short', 'g'.repeat(64), 'a'.repeat(65)])('refuses a file with the content %p', async (content) => {
    await mkdir(join(root, 'keys'));
    await writeFile(file, content, { mode: 0o600 });
    await expect(openMasterKey(file)).rejects.toThrow(InvalidValue);
    await expect(openMasterKey(file)).rejects.toThrow('64 hexadecimal digits');
  });

  it('does not quote a malformed key in its error', async () => {
    await mkdir(join(root, 'keys'));
    await writeFile(file, 'c0ffee'.repeat(10), { mode: 0o600 });
    await expect(openMasterKey(file)).rejects.not.toThrow('c0ffee');
  });

  it('throws Unavailable when the file cannot be opened', async () => {
    await writeFile(join(root, 'keys'), 'a file where a folder should be');
    await expect(openMasterKey(file)).rejects.toThrow(Unavailable);
  });
});
