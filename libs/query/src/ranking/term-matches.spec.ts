import fc from 'fast-check';
import { termMatches } from './term-matches.ts';

const found = (text: string, terms: readonly string[]): readonly string[] =>
  termMatches(text, terms).map(({ start, end, term }) => `${text.slice(start, end)}=${term}`);

describe('Term matches', () => {
  it('finds forms of a term regardless of case, and words within identifiers', () => {
    expect(found('Indexing: the index of getIndexName, reindexed.', ['index'])).toEqual(['Indexing=index', 'index=index', 'Index=index']);
  });

  it('finds an emoji literally', () => {
    const text = 'Release 🦑 is out, with ❤️';
    expect(termMatches(text, ['🦑', '❤']).map(({ start, end }) => text.slice(start, end))).toEqual(['🦑', '❤']);
  });
  it('finds no part of a longer word, and no term across a dot', () => {
    expect(found('forecast, cast; os.path and os path', ['cast', 'os.path'])).toEqual(['cast=cast']);
  });

  it('finds the same matches in pure ASCII text as next to non-ASCII letters, dashes and quotes', () => {
    const word = fc.oneof(
      fc.constantFrom('use', 'User', 'users', 'getUserName', 'HTTPServer', 'max_tokens', 'a', 'v2', 'no', 'x-ray'),
      fc.string({ unit: 'binary-ascii', maxLength: 6 }),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.array(word, { maxLength: 4 }),
        fc.constantFrom(' ', '.', '_', '\n'),
        (words, terms, between) => {
          const text = words.join(between);
          const matches = termMatches(text, terms);
          for (const suffix of ['\u0434', '\u2013 \u201d']) expect(termMatches(`${text} ${suffix}`, terms)).toEqual(matches);
        },
      ),
    );
  });
});
