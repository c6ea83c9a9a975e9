import { queryLanguage } from './query-language.ts';

describe('The language of a query', () => {
  it.each([
    ['the only one of the partition, whatever the query', 'Wie groß?', ['en'], 'en'],
    ['the one whose script it is written in', 'железная дорога', ['en', 'de', 'ru'], 'ru'],
    ['the one whose stop words it holds', 'Wo ist der Bahnhof', ['en', 'de', 'fr'], 'de'],
    ['the one of most chunks where nothing tells', 'Kubernetes', ['fr', 'en', 'und'], 'fr'],
    ['none where the partition knows none', 'Kubernetes', ['und'], 'und'],
    ['none in an empty partition', 'Kubernetes', [], 'und'],
  ])('is %s', (_, text, languages, expected) => expect(queryLanguage(text, languages)).toBe(expected));
});
