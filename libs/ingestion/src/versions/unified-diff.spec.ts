import { applyPatch } from 'diff';
import fc from 'fast-check';
import { DIFF_LIMITS, unifiedDiff } from './unified-diff.ts';

const line = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'c', '+a', '-b', '@@ -1,2 +1,2 @@', '--- a', '\\ No newline at end of file'),
  fc.string({ maxLength: 8 }),
);
const lines = fc.array(
  line.map((text) => text.replaceAll(/[\n\r]/g, '')),
  { maxLength: 40 },
);
const textOf = (parts: readonly string[]): string => parts.map((part) => `${part}\n`).join('');
const compare = (from: string, to: string, limits = DIFF_LIMITS) =>
  unifiedDiff({ name: 'a.md@1', text: from }, { name: 'a.md@2', text: to }, limits);

describe('The unified diff of two texts', () => {
  it('makes the later text of the earlier one', () =>
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [from, to] = [textOf(before), textOf(after)];
        const diff = compare(from, to);
        expect('unified' in diff && (diff.unified === '' ? from : applyPatch(from, diff.unified))).toBe(to);
      }),
      { numRuns: 300 },
    ));

  it('names both versions and shows three lines of context', () =>
    expect(compare(textOf([...'abcdefghi']), textOf([...'abcdEfghi']))).toEqual({
      unified: `${['--- a.md@1', '+++ a.md@2', '@@ -2,7 +2,7 @@', ' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h'].join('\n')}\n`,
      truncated: false,
    }));

  it('is empty for equal texts', () => expect(compare('a\n', 'a\n')).toEqual({ unified: '', truncated: false }));

  it('ends with its last complete hunk when it is too long', () => {
    const numbers = Array.from({ length: 100 }, (_, i) => String(i));
    const changed = numbers.map((text, i) => (i % 30 === 0 ? 'changed' : text));
    const diff = compare(textOf(numbers), textOf(changed), { ...DIFF_LIMITS, characters: 60 });
    expect(diff).toMatchObject({ truncated: true });
    expect('unified' in diff && diff.unified.match(/^@@/gm)).toHaveLength(2);
    expect(compare(textOf(numbers), textOf(changed), { ...DIFF_LIMITS, characters: 5 })).toEqual({ missing: 'too-large' });
  });

  const many = (count: number, of: (i: number) => string | number): string =>
    textOf(Array.from({ length: count }, (_, i) => String(of(i))));
  it.each([
    ['nothing in common', many(50_000, (i) => i), many(50_000, (i) => -1 - i), 'too-different'],
    ['the same few lines in another order', many(50_000, (i) => i % 7), many(50_000, (i) => i % 5), 'too-different'],
    [
      'long lines that differ at the end',
      many(900, (i) => `${'x'.repeat(2_000)}${i}`),
      many(900, (i) => `${'x'.repeat(2_000)}${i + 1_000}`),
      'too-different',
    ],
    ['too many lines', many(50_001, () => ''), many(1, () => 'a'), 'too-large'],
  ])('stops early for texts with %s', (_, from, to, missing) => expect(compare(from, to)).toEqual({ missing }));
});
