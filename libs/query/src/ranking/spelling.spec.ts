import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { neighboursOf, spelledWords, withCorrections } from './spelling.ts';

const correctable = (query: string) => spelledWords(query).flatMap((word) => (word.correctable ? [word.word] : []));

describe('words that have a spelling', () => {
  it('are those of a language, of five letters or more, also between hyphens and punctuation', () => {
    expect(correctable('Does "retreival" (of text-chunks) work? größe, поиск, αναζήτηση, مرحبا')).toEqual([
      ...['retreival', 'chunks', 'größe', 'поиск', 'αναζήτηση', 'مرحبا'],
    ]);
    expect(correctable('word wordy')).toEqual(['wordy']);
    expect(correctable(`${'a'.repeat(25)} ${'a'.repeat(24)}`)).toEqual(['a'.repeat(24)]);
  });

  it.each([
    ['names of code', 'getUserName max_tokens os.path $variable'],
    ['addresses and paths', 'someone@example.org https://example.org/pages docs/guides C:\\folder'],
    ['numbers and words with digits', '123456 sha256sum utf8mb4'],
    ['abbreviations', 'is the NASDAQ (NASDAQ) up'],
    ['scripts without letters that can be mistaken', '検索する 검색합니다 ค้นหาเอกสาร 🦀🦀🦀🦀🦀🦀'],
    ['more than one script', 'pаypalс'],
  ])('are not %s', (_, query) => expect(correctable(query)).toEqual([]));

  it('may be in capitals if all of the query is', () => expect(correctable('RETREIVAL OF TEXT')).toEqual(['RETREIVAL']));
});

describe('neighbours of a word', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 5, maxLength: 24 });

  it('are one mistake away: in both directions, each once, and never the word itself', () =>
    fc.assert(
      fc.property(letters, fc.nat(), (word, choice) => {
        const neighbours = neighboursOf(word);
        expect(new Set(neighbours).size).toBe(neighbours.length);
        expect(neighbours).not.toContain(word);
        expect(neighbours.length).toBeLessThan(60 * (word.length + 1));
        const other = neighbours[choice % neighbours.length] as string;
        // A letter with an accent is only put in the place of the one without.
        if (/^[a-z]+$/.test(other)) expect(neighboursOf(other)).toContain(word);
      }),
    ));

  it('miss an accent, and have letters of their script', () => {
    expect(neighboursOf('grosse')).toContain('grösse');
    expect(neighboursOf('strase')).toContain('straße');
    expect(neighboursOf('поикс')).toContain('поиск');
    expect(neighboursOf('検索する')).toEqual(expect.not.arrayContaining([expect.stringMatching(/[a-z]/)]));
  });
});

it('Corrections leave everything else of a query as it is', () => {
  const query = ' Retreival, retreival-time and RETREIVAL_MODE? ';
  expect(withCorrections(query, spelledWords(query), new Map([['retreival', 'retrieval']]))).toBe(
    ' retrieval, retrieval-time and RETREIVAL_MODE? ',
  );
});
