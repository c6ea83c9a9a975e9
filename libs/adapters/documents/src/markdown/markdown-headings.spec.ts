import fc from 'fast-check';
import { markdownHeadings, plainTitle } from './markdown-headings.ts';

describe('markdownHeadings', () => {
  it('returns the offsets of the lines of each heading', () => {
    const text = 'intro\n\n# One #\n\nTwo\nlines\n===\n\n### *Three* `code`';
    const { headings } = markdownHeadings(text, 10);
    expect(headings.map(({ level, title, start, end }) => [level, title, text.slice(start, end)])).toEqual([
      [1, 'One', '# One #'],
      [1, 'Two lines', 'Two\nlines\n==='],
      [3, 'Three code', '### *Three* `code`'],
    ]);
  });

  it('ignores headings in code, quotes, lists and rules that look like front matter', () => {
    expect(markdownHeadings('```\n# a\n```\n\n    # b\n\n> # c\n\n- # d\n\n---\n', 10).headings).toEqual([]);
  });

  it('stops at the given number and reports it', () => {
    expect(markdownHeadings('# a\n# b\n# c\n', 2)).toMatchObject({ cut: true, headings: [{ title: 'a' }, { title: 'b' }] });
    expect(markdownHeadings('# a\n# b\n', 2).cut).toBe(false);
  });

  it('finds the same headings in a long text as in its parts', () => {
    const block = fc.constantFrom(
      '# head',
      'title\n---',
      '```\n# no\n\n# no\n```',
      '~~~~\n```\n# no\n~~~~',
      '- item\n\n  # no',
      '> # no',
      'words '.repeat(8_000).trim(),
      '| a |\n|-|\n| b |',
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 25 }), (parts) => {
        const titles = (text: string): string[] => markdownHeadings(text, 1_000).headings.map(({ start, end }) => text.slice(start, end));
        return JSON.stringify(titles(parts.join('\n\n'))) === JSON.stringify(parts.flatMap(titles));
      }),
      { numRuns: 40 },
    );
  });
});

describe('plainTitle', () => {
  it('keeps only the words', () => {
    expect(plainTitle('A [link](http://x) to **`snake_case`** <br> here {#id}')).toBe('A link to snake_case here');
    expect(plainTitle(`${'*'.repeat(100_000)}`).length).toBeLessThanOrEqual(300);
  });
});
