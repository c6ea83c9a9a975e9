import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFolderIn } from './model-folders.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'model-folders-')));
const [first, second, outside] = ['first', 'second', 'outside'].map((name) => join(folder, name)) as [string, string, string];
for (const path of [join(first, 'a'), join(second, 'b'), join(outside, 'secret'), join(folder, 'first-not')])
  mkdirSync(path, { recursive: true });
symlinkSync(join(outside, 'secret'), join(first, 'link'));
symlinkSync(join(first, 'a'), join(second, 'to-first'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROOTS = [first, second, join(folder, 'missing')];

describe('the folder of a model', () => {
  it('is found below each root, by name or by path', async () => {
    await expect(modelFolderIn(ROOTS, 'a')).resolves.toBe(join(first, 'a'));
    await expect(modelFolderIn(ROOTS, 'b')).resolves.toBe(join(second, 'b'));
    await expect(modelFolderIn(ROOTS, join(second, 'b'))).resolves.toBe(join(second, 'b'));
  });

  it.each([
    '../outside/secret',
    'a/../../outside/secret',
    outside,
    '/etc',
    'link',
    'to-first',
    '../first-not',
    '.',
    '',
    first,
    'nothing-there',
    'a\0b',
  ])('is refused as %j', (name) =>
    expect(modelFolderIn(ROOTS, name)).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'onnx',
      expected: expect.stringContaining(first),
    }),
  );
});
