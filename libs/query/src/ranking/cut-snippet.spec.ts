import fc from 'fast-check';
import { cutSnippet } from './cut-snippet.ts';

const highlighted = (text: string, terms: string[], maxChars = 1_000): string[] => {
  const snippet = cutSnippet(text, terms, maxChars);
  return snippet.highlights.map(([start, end]) => snippet.text.slice(start, end));
};
const filler = 'Nothing of interest is said here at all. '.repeat(20);
const lonely = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe('A snippet', () => {
  it('is the whole text when that is short enough', () => {
    expect(cutSnippet('All of it.', ['all'], 40)).toEqual({ text: 'All of it.', highlights: [[0, 3]], start: 0, end: 10 });
  });

  it('shows the part with the most terms, cut between words', () => {
    const text = `${filler}The backup runs. ${filler}Restore a backup from the archive. ${filler}`;
    const { text: shown } = cutSnippet(text, ['restore', 'backup', 'archive'], 120);
    expect(shown).toContain('Restore a backup from the archive.');
    expect(shown).toMatch(/^…\w.*\S…$/s);
    expect(shown.length).toBeLessThanOrEqual(120);
  });

  it('is the beginning when nothing matches', () => {
    expect(cutSnippet(filler, ['zebra'], 60).text).toBe('Nothing of interest is said here at all. Nothing of…');
  });

  it('finds words regardless of case, accents and endings', () => {
    expect(highlighted('Installing the CAFÉ policies, she studies', ['install', 'cafe', 'policy', 'study'])).toEqual([
      'Installing',
      'CAFÉ',
      'policies',
      'studies',
    ]);
  });

  it('finds words by the stems that an index returns', () => {
    expect(highlighted('Knowledge studies, running configurations', ['knowledg', 'studi', 'run', 'configur'])).toEqual([
      'Knowledge',
      'studies',
      'running',
      'configurations',
    ]);
  });

  it('does not match a longer word only because it has the same beginning', () => {
    expect(highlighted('The carpet of the cardinal', ['car'])).toEqual([]);
  });

  it('finds the parts of identifiers', () =>
    expect(highlighted('call getUserName() and max_retries', ['user', 'retries'])).toEqual(['User', 'retries']));
  it('finds terms in scripts without blanks', () => expect(highlighted('我们在北京举行会议', ['北京', '会议'])).toEqual(['北京', '会议']));

  it('is never too long, highlights only visible text, and splits no surrogate pair, for any text', () =>
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('alpha ', 'beta', ' ', '\n', '😀', '語', 'Beta-alpha ', 'x'.repeat(80)), { maxLength: 60 })
          .map((parts) => parts.join('')),
        fc.integer({ min: 8, max: 200 }),
        (text, maxChars) => {
          const snippet = cutSnippet(text, ['alpha', 'beta'], maxChars);
          expect(snippet.text.length).toBeLessThanOrEqual(maxChars);
          expect(snippet.text).not.toMatch(lonely);
          expect(text.slice(snippet.start, snippet.end)).toBe(snippet.text.replace(/^…|…$/g, ''));
          for (const [start, end] of snippet.highlights) expect(snippet.text.slice(start, end)).toMatch(/^(alpha|beta)$/i);
        },
      ),
    ));

  it('handles a megabyte of matches', () => {
    expect(cutSnippet('alpha '.repeat(170_000), ['alpha', 'beta'], 300).text.length).toBeLessThanOrEqual(300);
  });
});
