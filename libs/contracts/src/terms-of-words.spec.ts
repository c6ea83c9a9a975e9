import { TermsOfWords } from './terms-of-words.ts';

describe('The terms of words', () => {
  const counting = () => {
    const analysed: string[] = [];
    const terms = new TermsOfWords((text, language) => {
      analysed.push(`${language} ${text}`);
      return text === 'the' ? [] : [`${language}:${text}`];
    });
    return { analysed, terms };
  };

  it('are those of each language, and none for a word that one of them leaves out', async () => {
    const { terms } = counting();
    expect(await terms.of(['boat', 'the'], ['de', 'en'])).toEqual([['de:boat', 'en:boat'], undefined]);
  });

  it('are found once for the same words in the same languages', async () => {
    const { analysed, terms } = counting();
    const words = ['boat', 'pilot'];
    await Promise.all([terms.of(words, ['en']), terms.of(words, ['en']), terms.of(words, ['de'])]);
    await terms.of(words, ['en']);
    expect(analysed.sort()).toEqual(['de boat', 'de pilot', 'en boat', 'en pilot']);
  });
});
