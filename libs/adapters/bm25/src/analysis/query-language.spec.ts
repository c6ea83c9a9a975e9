import { queryLanguage } from './query-language.ts';

describe('The language of a query', () => {
  it.each([
    ['the only language of the partition, for any query', 'Wie groß?', ['en'], 'en'],
    ['the language of its script', 'железная дорога', ['en', 'de', 'ru'], 'ru'],
    ['the language of its stop words', 'Wo ist der Bahnhof', ['en', 'de', 'fr'], 'de'],
    ['the language of most chunks when the query is ambiguous', 'Kubernetes', ['fr', 'en', 'und'], 'fr'],
    ['"und" when no chunk has a language', 'Kubernetes', ['und'], 'und'],
    ['"und" in an empty partition', 'Kubernetes', [], 'und'],
  ])('is %s', (_, text, languages, expected) => expect(queryLanguage(text, languages)).toBe(expected));
});
