import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { folderName, listPartitions, nameOfFolder } from './partition-folder.ts';

const names = fc.oneof(
  fc.stringMatching(/^(?:team|user):[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?$/),
  fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/),
  fc.constantFrom('con', 'nul', 'com1', 'platform', `user:${'Z'.repeat(128)}`),
);

describe('the folder of a name', () => {
  it('can be converted back to the name', () => fc.assert(fc.property(names, (name) => nameOfFolder(folderName(name)) === name)));

  it('is different for different names, even on file systems that ignore case', () =>
    fc.assert(fc.property(names, names, (a, b) => a === b || folderName(a).toLowerCase() !== folderName(b).toLowerCase())));

  it('is a valid name on Windows, macOS and Linux', () =>
    fc.assert(
      fc.property(names, (name) => {
        expect(folderName(name)).toMatch(/^[a-z0-9._@+=-]{1,255}$/);
        expect(folderName(name)).not.toMatch(/^(?:con|nul|com1)$|\.$/);
      }),
    ));

  it('encodes upper case as a number at its end', () => expect(folderName('team:Red')).toBe('team+red=20'));
});

describe('listing partitions', () => {
  it('ignores folders that it did not create', async () => {
    const root = await mkdtemp(join(tmpdir(), 'partition-folder-'));
    for (const path of ['acme/team+red=20/g1/vectors', 'acme/team+red/g1/lexical', 'acme/Team+red/g1/vectors', 'acme/deployment/latest/vectors', 'x y/deployment/g1/vectors'])
      await mkdir(join(root, path), { recursive: true });
    expect(await listPartitions(root)).toEqual([{ scope: { tenant: 'acme', scope: 'team:Red' }, generation: 'g1' }]);
    await rm(root, { recursive: true });
  });
});
