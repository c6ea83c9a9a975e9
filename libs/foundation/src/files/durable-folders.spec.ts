import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './durable-folders.ts';

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
