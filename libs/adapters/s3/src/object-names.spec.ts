import { blobKey } from '@palimpsest/knowledge/ports';
import fc from 'fast-check';
import { keyOf, listingOf, objectName } from './object-names.ts';

const aKey = fc
  .array(
    fc.stringMatching(/^[A-Za-z0-9._:@-]{1,30}$/).filter((part) => !/^\.+$/.test(part)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => blobKey(parts.join('/')));
const aPrefix = fc.constantFrom('', 'p/', 'deep/er/');

describe('names of objects', () => {
  it('map to exactly one key', () =>
    fc.assert(fc.property(aPrefix, aKey, (prefix, key) => void expect(keyOf(prefix, objectName(prefix, key))).toBe(key))));

  it('are never a folder of another name', () =>
    fc.assert(
      fc.property(aKey, aKey, (one, other) => void expect(objectName('', other).startsWith(`${objectName('', one)}/`)).toBe(false)),
    ));

  it.each(['a', '~bin', '../a~bin', 'a//b~bin', '~probe-1', 'other/a~bin'])(
    '"%s" below "p/" or elsewhere is not the name of a blob',
    (name) => {
      expect(keyOf('p/', `p/${name}`.replace('p/other', 'other'))).toBeUndefined();
    },
  );

  it('fit into the limit of 1,024 bytes', () => {
    expect(
      objectName(`${'p'.repeat(100)}/`, blobKey(Array.from({ length: 9 }, () => 'k'.repeat(99)).join('/'))).length,
    ).toBeLessThanOrEqual(1_024);
  });

  it('are listed at a "/" boundary', () => {
    expect(listingOf('')).toEqual({ self: undefined, below: '' });
    expect(listingOf('a/b')).toEqual({ self: 'a/b', below: 'a/b/' });
    expect(listingOf('a/b/')).toEqual({ self: undefined, below: 'a/b/' });
    for (const prefix of ['/', '//', '..', 'a//', '../..'])
      expect(() => listingOf(prefix)).toThrow(expect.objectContaining({ code: 'InvalidValue' }));
  });
});
