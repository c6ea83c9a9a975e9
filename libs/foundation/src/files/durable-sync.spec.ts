import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolderSync, syncFileSync, syncFolderSync } from './durable-sync.ts';

describe('Synchronous syncs', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'durable-sync-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('create a folder with its parents, and accept one that exists', () => {
    makeFolderSync(join(folder, 'a', 'b'));
    makeFolderSync(join(folder, 'a', 'b'));
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
  });

  it('report a file or folder that does not exist', () => {
    writeFileSync(join(folder, 'file'), 'content');
    syncFileSync(join(folder, 'file'));
    syncFolderSync(folder);
    expect(() => syncFileSync(join(folder, 'missing'))).toThrow('ENOENT');
    expect(() => syncFolderSync(join(folder, 'missing'))).toThrow('ENOENT');
  });
});
