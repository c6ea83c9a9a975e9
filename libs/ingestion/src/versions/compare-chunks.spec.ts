import fc from 'fast-check';
import { chunkId } from '@palimpsest/knowledge/values';
import { compareChunks } from './compare-chunks.ts';

const chunks = (letters: string) =>
  [...letters].map((letter, index) => ({
    chunkId: chunkId(letter.charCodeAt(0).toString(16).padStart(32, '0')),
    ...{ start: index, end: index + 1, fromLine: index + 1, toLine: index + 1 },
  }));
const letterOf = (id: string) => String.fromCharCode(parseInt(id, 16));
const compare = (before: string, after: string): string =>
  compareChunks(chunks(before), chunks(after))
    .map(({ change, chunkId: id }) => `${{ kept: '', added: '+', removed: '-' }[change]}${letterOf(id)}`)
    .join(' ');

describe('The chunks of two versions', () => {
  it.each([
    ['abc', 'abc', 'a b c'],
    ['abc', 'axc', 'a -b +x c'],
    ['abcd', 'axyd', 'a -b -c +x +y d'],
    ['abc', 'cxa', '-b c +x a'],
    ['abc', '', '-a -b -c'],
    ['', 'ab', '+a +b'],
    ['ab', 'xaby', '+x a b +y'],
    ['xaby', 'ab', '-x a b -y'],
  ])('from %s to %s: %s', (before, after, expected) => expect(compare(before, after)).toBe(expected));

  it('are each listed once, the later ones in their order', () => {
    const letters = fc.shuffledSubarray([...'abcdefgh']).map((each) => each.join(''));
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const listed = compareChunks(chunks(before), chunks(after));
        expect(listed.flatMap(({ to, chunkId: id }) => (to ? [letterOf(id)] : [])).join('')).toBe(after);
        expect(listed.flatMap(({ from, chunkId: id }) => (from ? [letterOf(id)] : [])).sort()).toEqual([...before].sort());
      }),
    );
  });
});
