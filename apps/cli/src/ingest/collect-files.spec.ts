import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../test/run.ts';
import { collectFiles } from './collect-files.ts';

let folder: Awaited<ReturnType<typeof aFolder>>;
afterEach(() => folder.remove());
const sources = async (paths: readonly string[], cwd = folder.path): Promise<string[]> =>
  (await collectFiles(paths, cwd)).files.map(({ sourceId }) => sourceId);

describe('A folder', () => {
  it('yields its files as its own name and the path inside, sorted', async () => {
    folder = await aFolder({ 'docs/b.md': '', 'docs/a/deep/x.md': '' });
    expect(await sources(['docs'])).toEqual(['docs/a/deep/x.md', 'docs/b.md']);
    expect(await sources([join(folder.path, 'docs/')], '/')).toEqual(['docs/a/deep/x.md', 'docs/b.md']);
    expect(await sources(['.'], join(folder.path, 'docs'))).toEqual(['docs/a/deep/x.md', 'docs/b.md']);
  });

  it('leaves out what .gitignore names, at any depth, hidden files and installed packages', async () => {
    folder = await aFolder({
      ...{ 'docs/.gitignore': 'secret.md\nbuild/', 'docs/secret.md': '', 'docs/build/out.md': '', 'docs/keep.md': '' },
      ...{ 'docs/sub/.gitignore': '*.log', 'docs/sub/run.log': '', 'docs/sub/secret.md': '', 'docs/sub/keep.md': '' },
      ...{ 'docs/.hidden/x.md': '', 'docs/.env': '', 'docs/node_modules/p/readme.md': '' },
    });
    expect(await sources(['docs'])).toEqual(['docs/keep.md', 'docs/sub/keep.md']);
  });

  it('reports what it leaves out and why, a hidden folder as one entry, and includes it on request', async () => {
    folder = await aFolder({
      'docs/a.md': '',
      'docs/.env': '',
      'docs/.git/config': '',
      'docs/.git/refs/x': '',
      'docs/sub/id_rsa': '',
      'docs/node_modules/p/x.md': '',
      'docs/Thumbs.db': '',
    });
    const leftOut = [
      { path: 'docs/.env', reason: 'secret' },
      { path: 'docs/.git', reason: 'hidden' },
      { path: 'docs/Thumbs.db', reason: 'system' },
      { path: 'docs/node_modules', reason: 'packages' },
      { path: 'docs/sub/id_rsa', reason: 'secret' },
    ];
    expect(await collectFiles(['docs'], folder.path)).toMatchObject({ files: [{ sourceId: 'docs/a.md' }], leftOut, secrets: [] });
    const withSecrets = await collectFiles(['docs'], folder.path, new Set(['secret'] as const));
    expect(withSecrets.files.map(({ sourceId }) => sourceId)).toEqual(['docs/.env', 'docs/a.md', 'docs/sub/id_rsa']);
    const withHidden = await collectFiles(['docs'], folder.path, new Set(['hidden'] as const));
    expect(withHidden.files.map(({ sourceId }) => sourceId)).toEqual(['docs/.git/config', 'docs/.git/refs/x', 'docs/a.md']);
    expect(withHidden.leftOut.map(({ path }) => path)).toEqual(['docs/.env', 'docs/Thumbs.db', 'docs/node_modules', 'docs/sub/id_rsa']);
  });

  it('reports a secret even where .gitignore names it', async () => {
    folder = await aFolder({ 'docs/.gitignore': '.env', 'docs/.env': '', 'docs/a.md': '' });
    expect((await collectFiles(['docs'], folder.path)).leftOut).toEqual([
      { path: 'docs/.env', reason: 'secret' },
      { path: 'docs/.gitignore', reason: 'hidden' },
    ]);
  });

  it('does not follow links, which could form a cycle', async () => {
    folder = await aFolder({ 'docs/a.md': '' });
    await symlink(join(folder.path, 'docs'), join(folder.path, 'docs', 'again'));
    expect(await sources(['docs'])).toEqual(['docs/a.md']);
  });

  it('may contain names with special characters of glob patterns', async () => {
    folder = await aFolder({ 'do[c]s (1)/wh*t{a,b}.md': '' });
    expect(await sources(['do[c]s (1)'])).toEqual(['do[c]s (1)/wh*t{a,b}.md']);
  });
});

describe('A file', () => {
  it('is included when it is named, even if it would be left out of a folder', async () => {
    folder = await aFolder({ '.env': '', 'docs/x.md': '' });
    expect(await sources(['.env', 'docs/x.md'])).toEqual(['.env', 'docs/x.md']);
  });

  it('causes a warning when it may hold secrets, and is not reported as left out of its folder', async () => {
    folder = await aFolder({ 'docs/.env': '', 'docs/x.md': '' });
    expect(await collectFiles(['docs', 'docs/.env'], folder.path)).toMatchObject({
      files: [{ sourceId: 'docs/.env' }, { sourceId: 'docs/x.md' }],
      leftOut: [],
      secrets: ['docs/.env'],
    });
  });

  it('is identified by its name only when it is outside the working folder', async () => {
    folder = await aFolder({ 'docs/x.md': '' });
    expect(await sources([join(folder.path, 'docs/x.md')], '/usr')).toEqual(['x.md']);
  });

  it('that is named twice is included once', async () => {
    folder = await aFolder({ 'docs/x.md': '' });
    expect(await sources(['docs', 'docs/x.md', 'docs'])).toEqual(['docs/x.md']);
  });
});

describe('Bad paths', () => {
  it('are refused with their names', async () => {
    folder = await aFolder({});
    await expect(sources(['nowhere'])).rejects.toThrow('nowhere: file or folder not found');
  });

  it('are refused when two files would be the same document', async () => {
    folder = await aFolder({ 'a/docs/x.md': '1', 'b/docs/x.md': '2' });
    await expect(sources(['a/docs', 'b/docs'])).rejects.toThrow('would both have the source ID docs/x.md');
  });
});
