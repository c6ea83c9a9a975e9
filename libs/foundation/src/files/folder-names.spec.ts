import fc from 'fast-check';
import { folderName, nameOfFolder } from './folder-names.ts';

const names = fc.oneof(
  fc.stringMatching(/^(?:team|user):[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?$/),
  fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/),
  fc.constantFrom('con', 'nul', 'com1', 'platform', `user:${'Z'.repeat(128)}`),
);

describe('The folder of a name', () => {
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

  it('is not taken for the folder of another name', () => {
    for (const other of ['Team+red', 'team+red=10', 'team:red', 'con', 'a=zz']) expect(nameOfFolder(other)).toBeUndefined();
  });
});
