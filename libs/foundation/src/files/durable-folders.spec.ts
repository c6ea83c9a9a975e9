import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, removeFolder, syncNames } from './durable-folders.ts';

describe('removing a folder durably', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'durable-folders-'));
    mkdirSync(join(root, 'tenant', 'scope', 'g1', 'vectors', 'inner'), { recursive: true });
    writeFileSync(join(root, 'tenant', 'scope', 'g1', 'vectors', 'file'), 'text');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('removes its contents and empty parent folders, but never the root', async () => {
    await removeFolder(join(root, 'tenant', 'scope', 'g1', 'vectors'), root);
    expect(readdirSync(root)).toEqual([]);
  });

  it('never removes a root that is written in another way', async () => {
    await removeFolder(join(root, 'tenant', 'scope', 'g1', 'vectors'), `${root}/./`);
    expect([existsSync(root), readdirSync(root)]).toEqual([true, []]);
  });

  it('keeps folders that are not empty', async () => {
    mkdirSync(join(root, 'tenant', 'scope', 'g2'));
    await removeFolder(join(root, 'tenant', 'scope', 'g1', 'vectors'), root);
    expect(readdirSync(join(root, 'tenant', 'scope'))).toEqual(['g2']);
  });

  it('completes an interrupted removal', async () => {
    rmSync(join(root, 'tenant', 'scope', 'g1'), { recursive: true });
    await removeFolder(join(root, 'tenant', 'scope', 'g1', 'vectors'), root);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('making a folder durably', () => {
  let root: string;
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'durable-folders-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('creates its parents too, for their owner only, and accepts a folder that exists', async () => {
    const folder = join(root, 'a', 'b');
    await makeFolder(folder);
    await makeFolder(folder);
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, 'a'))).toEqual(['b']);
  });

  it('syncs every folder above a name, up to the top', async () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    await syncNames(join(root, 'a', 'b', 'file'), root);
    await expect(syncNames(join(root, 'a', 'missing', 'file'), root)).rejects.toThrow('ENOENT');
    await expect(syncNames(join(root, 'a', 'missing', 'file'), join(root, 'a', 'missing', 'file'))).resolves.toBeUndefined();
  });
});
