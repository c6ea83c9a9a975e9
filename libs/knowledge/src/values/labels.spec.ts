import { givenLabels } from './labels.ts';

describe('givenLabels', () => {
  it('takes a list of keywords as its text', () => {
    const given = { team: 'red', tags: ['b', 'a'], also: ['a, b', 'c'], none: [] };
    expect(givenLabels(given)).toEqual({ team: 'red', tags: 'b, a', also: '["a, b","c"]', none: '' });
    expect(givenLabels(undefined)).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['a list of other values', { tags: ['a', 1] }, 'labels.tags[1]: expected a keyword, got 1'],
    ['a blank keyword', { tags: [' '] }, 'labels.tags[0]: expected a keyword, got " "'],
    ['half a character', { tags: ['a,\ud800'] }, 'labels.tags[0]: expected a keyword, got'],
    ['a list of lists', { tags: [['a']] }, 'labels.tags[0]: expected a keyword'],
    [
      'too many keywords',
      { tags: Array(100).fill('ab') },
      'labels.tags: expected keywords of at most 256 characters together, got "398 characters"',
    ],
    ['a list instead of labels', ['a'], 'labels: expected an object of strings'],
    ['an object as a value', { tags: {} }, 'labels.tags: expected a string of at most 256 characters'],
  ])('refuses %s', (_, raw, message) => expect(() => givenLabels(raw)).toThrow(message));
});
