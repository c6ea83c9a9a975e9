import { chosenFiles, droppedFiles } from './dropped-files.ts';

type Tree = Readonly<{ [name: string]: Tree | string }>;

const file = (name: string, webkitRelativePath = ''): File => Object.assign(new File(['text'], name), { webkitRelativePath });

/** Entries as a browser returns them: folders in batches, of two here. `opened` collects the folders that were read. */
const entry = (name: string, tree: Tree | string, path: string, opened: string[]): FileSystemEntry => {
  const fullPath = `${path}/${name}`;
  if (typeof tree === 'string')
    return {
      name,
      fullPath,
      isFile: true,
      isDirectory: false,
      file: (take: (read: File) => void) => take(file(name)),
    } as unknown as FileSystemEntry;
  const inner = Object.entries(tree).map(([each, below]) => entry(each, below, fullPath, opened));
  const createReader = () => (
    opened.push(fullPath),
    { readEntries: (take: (batch: FileSystemEntry[]) => void) => take(inner.splice(0, 2)) }
  );
  return { name, fullPath, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry;
};

const item = (name: string, tree: Tree | string, opened: string[] = []): DataTransferItem =>
  ({ kind: 'file', webkitGetAsEntry: () => entry(name, tree, '', opened), getAsFile: () => file(name) }) as unknown as DataTransferItem;

const PROJECT: Tree = {
  'a.md': '',
  '.env': '',
  '.git': { config: '', refs: { x: '' } },
  docs: { 'b.md': '', id_rsa: '', '.hidden.md': '', 'Thumbs.db': '' },
  node_modules: { p: { 'x.md': '' } },
  credentials: { 'c.md': '' },
};
const LEFT_OUT = [
  { path: 'project/.env', reason: 'secret' },
  { path: 'project/.git', reason: 'hidden' },
  { path: 'project/docs/.hidden.md', reason: 'hidden' },
  { path: 'project/docs/Thumbs.db', reason: 'system' },
  { path: 'project/docs/id_rsa', reason: 'secret' },
  { path: 'project/node_modules', reason: 'packages' },
];
const byPath = (one: { path: string }, other: { path: string }): number => (one.path < other.path ? -1 : 1);

describe('a folder', () => {
  it('that is dropped returns its files without secrets and hidden files, and reports those', async () => {
    const opened: string[] = [];
    const { files, leftOut, secrets } = await droppedFiles([item('project', PROJECT, opened)]);
    expect(files.map(({ name }) => name).sort()).toEqual(['project/a.md', 'project/credentials/c.md', 'project/docs/b.md']);
    expect([...leftOut].sort(byPath)).toEqual(LEFT_OUT);
    expect(secrets).toEqual([]);
    expect(opened).not.toContain('/project/.git');
  });

  it('that is chosen returns the same', () => {
    const paths = [
      'a.md',
      '.env',
      '.git/config',
      '.git/refs/x',
      'docs/b.md',
      'docs/id_rsa',
      'docs/.hidden.md',
      'docs/Thumbs.db',
      'node_modules/p/x.md',
      'credentials/c.md',
    ];
    const { files, leftOut } = chosenFiles(paths.map((path) => file(path.split('/').at(-1) ?? '', `project/${path}`)));
    expect(files.map(({ name }) => name)).toEqual(['project/a.md', 'project/docs/b.md', 'project/credentials/c.md']);
    expect([...leftOut].sort(byPath)).toEqual(LEFT_OUT);
  });

  it('that is hidden returns its files when it is dropped itself', async () => {
    expect((await droppedFiles([item('.notes', { 'a.md': '' })])).files.map(({ name }) => name)).toEqual(['.notes/a.md']);
  });
});

describe('a single file', () => {
  it('is sent whatever its name is, with a warning when it may hold secrets', async () => {
    const expected = { files: [{ name: '.env' }, { name: 'a.md' }, { name: '.hidden.md' }], leftOut: [], secrets: ['.env'] };
    expect(await droppedFiles([item('.env', ''), item('a.md', ''), item('.hidden.md', '')])).toMatchObject(expected);
    expect(chosenFiles([file('.env'), file('a.md'), file('.hidden.md')])).toMatchObject(expected);
  });
});
