import { anyText } from '@palimpsest/test-kit';
import fc from 'fast-check';
import { BM25_ANALYSER_VERSION, analyse, analyseWeighted, primaryLanguage } from './analyse.ts';
import { analyseQuery } from './analyse-query.ts';

const terms = (text: string, language: string): readonly string[] => [...analyse(text, language).terms.keys()];

describe('analyse', () => {
  it('counts a word of a weighted text as often as the weight says, and adds it to the other texts', () => {
    const texts = [
      { text: 'The lamp burns', weight: 1 },
      { text: 'Lamps of the harbour', weight: 3 },
    ];
    expect(analyseWeighted(texts, 'en')).toEqual({
      terms: new Map([
        ['lamp', 4],
        ['burn', 1],
        ['harbour', 3],
      ]),
      length: 8,
    });
  });

  it.each([
    ['en', 'The cells were dividing rapidly', ['cell', 'divid', 'rapid']],
    ['de', 'Die Häuser der Straße', ['haus', 'strass']],
    ['fr', 'L’avion d’été volait', ['avion', 'vol']],
    ['ru', 'большие города', ['больш', 'город']],
    ['es', 'Las bibliotecas nacionales', ['bibliotec', 'nacional']],
    ['tr', 'kitaplar', ['kitap']],
    ['hi', 'हिन्दी किताबें', ['हिंद', 'किताब']],
    ['und', 'The cells', ['the', 'cells']],
  ])('stems %s and removes its stop words', (language, text, expected) => expect(terms(text, language)).toEqual(expected));

  it.each([
    ['el', 'Η ΑΘΗΝΑ και η Αθήνα', ['αθην']],
    ['el', 'ο δρόμος, οι ΔΡΟΜΟΣ', ['δρομ']],
    ['ru', 'Ёлка и елка', ['елк']],
    ['tr', 'İstanbul istanbul', ['istanbul']],
    ['he', 'שָׁלוֹם שלום', ['שלום']],
    ['fa', 'كتاب کتاب', ['کتاب']],
  ])('unifies the spelling variants of %s: %s', (language, text, expected) => expect(terms(text, language)).toEqual(expected));

  it('gives Arabic words the same stem with and without the article', () => {
    expect(terms('الكتاب', 'ar')).toEqual(terms('كتاب', 'ar'));
  });

  it('splits Chinese, Japanese and Korean into characters and bigrams', () => {
    expect(terms('黑豹队', 'zh')).toEqual(['黑', '黑豹', '豹', '豹队', '队']);
    expect(terms('猫が好き', 'ja')).toEqual(['猫', '猫が', 'が', 'が好', '好', '好き', 'き']);
    expect(terms('한국어', 'ko')).toEqual(['한', '한국', '국', '국어', '어']);
    expect(terms('用Kafka写𠀀', 'zh')).toEqual(['用', 'kafka', '写', '写𠀀', '𠀀']);
  });

  it('takes an emoji as a word, however it is written, but no other sign', () => {
    expect(terms('Release 🦑!', 'en')).toEqual(['releas', '🦑']);
    expect(terms('❤️', 'und')).toEqual(terms('❤', 'und'));
    expect(terms('👍🏽', 'und')).toContain('👍');
    expect(terms('a → b © 2024 ± 5 ✓', 'und')).toEqual(['a', 'b', '2024', '5']);
  });

  it('splits Thai and Lao into words, whatever the language of the text is, and keeps marks with their letter', () => {
    expect(terms('น้ำตาลในประเทศไทย', 'th')).toEqual(['น้ำตาล', 'ประเทศไทย']);
    expect(terms('ภาษาไทย', 'und')).toEqual(['ภาษา', 'ไทย']);
    expect(terms('ພາສາລາວ', 'lo')).toEqual(['ພາສາ', 'ລາວ']);
    expect(terms('กิน寿司แล้ว', 'und')).toEqual(['กิน', '寿', '寿司', '司', 'แล้ว']);
  });

  it.each([
    ['getUserName', ['getusernam', 'get', 'user', 'name']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['max_tokens', ['max_tokens', 'max', 'token']],
    ['__init__', ['init']],
    ['os.path.join', ['os.path.join', 'os', 'path', 'join']],
    ['sha256 p53 mRNA', ['sha256', 'p53', 'mrna', 'rna']],
    ['3.14 1_000', ['3.14', '1_000']],
    ['End. Next', ['end', 'next']],
  ])('splits %s into the whole and its parts', (text, expected) =>
    expect(terms(text, 'en').filter((term) => term !== 'm')).toEqual(expected),
  );

  it('matches an identifier with the same word in lower case', () => {
    expect(terms('GitHub', 'en')).toEqual(expect.arrayContaining([...terms('github', 'en')]));
  });

  it('normalizes ligatures, full-width letters, soft hyphens and joiners', () => {
    expect(terms('ﬁne ＡＢＣ Zusammen\u00adarbeit', 'und')).toEqual(['fine', 'abc', 'zusammenarbeit']);
    expect(terms('e\u0301te\u0301', 'und')).toEqual(terms('\u00e9t\u00e9', 'und'));
  });

  it('truncates very long tokens, and does not treat a blob as an identifier', () => {
    expect(terms('A9bC'.repeat(1000), 'en').every((term) => term.length <= 64)).toBe(true);
    expect(terms('A9bC'.repeat(1000), 'en')).toHaveLength(1);
    expect(analyse('a.'.repeat(100_000), 'und').terms.size).toBeLessThan(3);
  });

  it('accepts any text, and never returns an empty or overlong term', () =>
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), fc.constantFrom('en', 'de', 'ar', 'tr', 'zh', 'und', '__proto__'), (text, language) => {
        const { terms: found, length } = analyse(text, language);
        expect([...found.values()].reduce((sum, frequency) => sum + frequency, 0)).toBe(length);
        for (const term of found.keys()) expect(term.length > 0 && term.length <= 80).toBe(true);
      }),
      { numRuns: 300 },
    ));

  it('has a version that includes the weights of fields and the Unicode version', () =>
    expect(BM25_ANALYSER_VERSION).toMatch(/^\d+\+fields[1-9.]+\+unicode\d/));

  it('finds the primary code of a language', () => {
    expect(['en-GB', 'DE', 'und', '', 'English', 'zh_Hans'].map(primaryLanguage)).toEqual(['en', 'de', 'und', 'und', 'und', 'zh']);
  });
});

describe('analyseQuery', () => {
  const query = (text: string, ...languages: string[]) => [...analyseQuery(text, languages).keys()];

  it('unites the analyses in all languages present, in any order', () => {
    expect(query('running Kubernetes', 'en', 'und')).toEqual(['run', 'kubernet', 'running', 'kubernetes']);
    expect(query('running Kubernetes', 'und', 'en')).toEqual(query('running Kubernetes', 'en', 'und'));
  });

  it('removes the stop words of the query’s language from the other analyses too', () => {
    expect(query('die Zelle ist klein', 'de', 'en')).toEqual(['zell', 'klein']);
    expect(query('how do cells die', 'de', 'en')).toEqual(expect.arrayContaining(['cell', 'die']));
    expect(query('how do cells die', 'de', 'en')).not.toContain('how');
  });

  it('analyses a query of only stop words in the languages where they are not stop words', () => {
    expect(query('die', 'de', 'en')).toEqual(['die']);
    expect(query('die', 'de')).toEqual([]);
  });

  it('counts a word at most three times', () =>
    expect([...analyseQuery('cat cat cat cat dog', ['en'])]).toEqual([
      ['cat', 3],
      ['dog', 1],
    ]));
});
