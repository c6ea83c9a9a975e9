import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishReplacing, makeFolder, removeFolder, replaceFolder, syncNames } from './durable-folders.ts';

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

describe('replacing a folder durably', () => {
  let root: string;
  const [to, from] = ['a/g1/words', 'b/g1/words'];
  const write = (folder: string, text: string): void => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'file'), text);
  };
  const text = () => readFileSync(join(root, to, 'file'), 'utf8');
  const finish = () => finishReplacing(join(root, to), readdirSync(join(root, 'a/g1')));
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'durable-folders-'));
    write(from, 'new');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each([[true], [false]])('moves the other one to its place (there was one: %s)', async (exists) => {
    if (exists) write(to, 'old');
    await replaceFolder(join(root, from), join(root, to), root);
    expect([text(), readdirSync(join(root, 'a/g1')), existsSync(join(root, from))]).toEqual(['new', ['words'], false]);
  });

  it('leaves both as they are when the other one does not exist', async () => {
    write(to, 'old');
    await expect(replaceFolder(join(root, 'missing'), join(root, to), root)).rejects.toThrow('ENOENT');
    expect([text(), readdirSync(join(root, 'a/g1'))]).toEqual(['old', ['words']]);
  });

  it.each([
    ['not begun', ['words:old'], 'old'],
    ['next to the previous one', ['words:old', 'words.next:new'], 'new'],
    ['without either in its place', ['words.previous:old', 'words.next:new'], 'new'],
    ['complete', ['words.previous:old', 'words:new'], 'new'],
  ])('is completed after a kill: %s', async (_, found, expected) => {
    for (const [name = '', content = ''] of found.map((one) => one.split(':'))) write(`a/g1/${name}`, content);
    await finish();
    expect([text(), readdirSync(join(root, 'a/g1'))]).toEqual([expected, ['words']]);
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
