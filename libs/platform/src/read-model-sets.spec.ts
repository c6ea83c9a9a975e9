import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, InMemoryCatalog, InMemoryLexicalIndex, InMemoryVectorIndex } from '@palimpsest/test-kit';
import { currentFolder, ReadModelSets } from './read-model-sets.ts';

describe('The sets of read models in a folder', () => {
  let root: string;
  let closed: string[];
  let committed: unknown[];
  let errors: unknown[];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sets-'));
    [closed, committed, errors] = [[], [], []];
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
    expect(errors).toEqual([]);
  });

  /** Opens stores in memory that leave files behind, as real ones do. */
  const opened = (isOwn?: (entry: string) => boolean) =>
    ReadModelSets.open(
      root,
      async (folder, isCurrent) => {
        await mkdir(join(folder, 'acme', 'deployment'), { recursive: true });
        await writeFile(join(folder, 'catalog.db'), folder);
        return {
          folder,
          isCurrent,
          catalog: Object.assign(new InMemoryCatalog(), {
            close: async () => void closed.push(folder),
            commit: async () => void committed.push([folder, isCurrent(), await entries()]),
            discard: async () => void closed.push(`discarded ${folder}`),
          }),
          vectors: Object.assign(new InMemoryVectorIndex(), { close: async () => undefined }),
          lexical: Object.assign(new InMemoryLexicalIndex(), { close: async () => undefined }),
        };
      },
      { onError: (error) => errors.push(error), ...(isOwn ? { isOwn } : {}) },
    );
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
  const entries = async () => (await readdir(root)).sort();
  const FILES = ['acme', 'catalog.db'];
  /** The previous set is deleted after the exchange, however long that takes. */
  const left = (expected: readonly string[]) =>
    eventually(`only ${expected.join(', ')} is left`, async () =>
      JSON.stringify(await entries()) === JSON.stringify(expected) ? true : undefined,
    );

  it('are one set in the folder itself at first, which every earlier version can read', async () => {
    const sets = await opened();
    expect([sets.current.folder, sets.current.isCurrent(), await entries()]).toEqual([root, true, FILES]);
    await sets.close();
    expect(closed).toEqual([root]);
  });

  it('leave alone what is not a part of them', async () => {
    const isOwn = (entry: string): boolean => FILES.includes(entry);
    await writeFile(join(root, 'checkpoints.db'), '');
    const sets = await opened(isOwn);
    expect(await currentFolder(root)).toBe(root);
    await (await sets.alongside()).exchange();
    await left(['=rebuilt-1', 'checkpoints.db', 'current']);
    await sets.close();
    await mkdir(join(root, '=rebuilt-2'));
    await (await opened(isOwn)).close();
    expect([await entries(), await currentFolder(root)]).toEqual([['=rebuilt-1', 'checkpoints.db', 'current'], join(root, '=rebuilt-1')]);
  });

  it('are exchanged: the ports lead to the new set, also after a restart, and the previous one is deleted', async () => {
    const sets = await opened();
    const previous = sets.current;
    const next = await sets.alongside();
    expect([sets.current, await entries()]).toEqual([previous, ['=rebuilt-1', ...FILES]]);
    await next.catalog.apply([], 7n as never);
    expect(await sets.catalog.position()).toBe(0n);
    await next.exchange();
    expect([await sets.catalog.position(), previous.isCurrent(), sets.current.isCurrent()]).toEqual([7n, false, true]);
    await left(['=rebuilt-1', 'current']);
    expect([closed, committed]).toEqual([[`discarded ${root}`], [[join(root, '=rebuilt-1'), false, ['=rebuilt-1', ...FILES]]]]);
    await sets.close();
    const again = await opened();
    expect(again.current.folder).toBe(join(root, '=rebuilt-1'));
    await (await again.alongside()).exchange();
    await left(['=rebuilt-2', 'current']);
    expect(await readFile(join(root, 'current'), 'utf8')).toBe('=rebuilt-2\n');
    await again.close();
  });

  it('keep the previous set while a call to it is running', async () => {
    const sets = await opened();
    let end = (): void => undefined;
    sets.current.catalog.chunkCount = () => new Promise((resolve) => (end = () => resolve(3)));
    const running = sets.catalog.chunkCount();
    await (await sets.alongside()).exchange();
    await settle();
    expect([closed, await entries()]).toEqual([[], ['=rebuilt-1', ...FILES, 'current'].sort()]);
    end();
    expect(await running).toBe(3);
    await left(['=rebuilt-1', 'current']);
    expect(closed).toEqual([`discarded ${root}`]);
    await sets.close();
  });

  it('leave no trace of a set that is discarded', async () => {
    const sets = await opened();
    await (await sets.alongside()).discard();
    expect([closed, await entries(), await sets.catalog.position()]).toEqual([[`discarded ${join(root, '=rebuilt-1')}`], FILES, 0n]);
    await sets.close();
  });

  it.each([
    ['a set that was being built', async () => mkdir(join(root, '=rebuilt-1')), FILES, ''],
    [
      'the previous set in the folder itself',
      async () =>
        Promise.all([
          mkdir(join(root, '=rebuilt-1')),
          mkdir(join(root, 'acme')),
          writeFile(join(root, 'catalog.db'), ''),
          writeFile(join(root, 'current'), '=rebuilt-1'),
        ]),
      ['=rebuilt-1', 'current'],
      '=rebuilt-1',
    ],
    ['a pointer to a set that was deleted by hand', async () => writeFile(join(root, 'current'), '=rebuilt-5'), FILES, ''],
    [
      'a damaged pointer',
      async () => Promise.all([mkdir(join(root, '=rebuilt-1')), writeFile(join(root, 'current'), '../../etc')]),
      FILES,
      '',
    ],
  ])('open the complete set and delete what a kill left: %s', async (_, leave, left, current) => {
    await leave();
    const sets = await opened();
    expect([sets.current.folder, await entries()]).toEqual([join(root, current), left]);
    await sets.close();
  });

  it('close everything, also a set that is being built, which then ends without deleting anything', async () => {
    const sets = await opened();
    const next = await sets.alongside();
    await sets.close();
    expect([...closed].sort()).toEqual([root, join(root, '=rebuilt-1')]);
    await next.discard();
    expect(await entries()).toEqual(['=rebuilt-1', ...FILES]);
  });
});
