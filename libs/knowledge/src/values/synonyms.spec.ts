import { InvalidValue } from '../errors.ts';
import { placedWords, synonymRules, synonyms } from './synonyms.ts';

const refused = (raw: unknown): string => {
  try {
    synonyms(raw);
  } catch (error) {
    if (error instanceof InvalidValue) return `${error.field}: ${error.expected}`;
    throw error;
  }
  return 'accepted';
};
const forms = (text: string) => placedWords(text).map(({ form }) => form);

describe('Synonyms', () => {
  it('are rules for words with the same meaning, or for one direction', () => {
    const rules = synonyms([' sso, Single Sign-On ', 'k8s,kube => Kubernetes']);
    expect(rules).toEqual(['sso, Single Sign-On', 'k8s,kube => Kubernetes']);
    const words = (each: readonly { form: string; text: string }[]) => each.map(({ form, text }) => [form, text]);
    expect(synonymRules(rules).map(({ from, to }) => [words(from), words(to)])).toEqual([
      Array.from({ length: 2 }, () => [
        ['sso', 'sso'],
        ['single sign on', 'Single Sign-On'],
      ]),
      [
        [
          ['k8s', 'k8s'],
          ['kube', 'kube'],
        ],
        [['kubernetes', 'Kubernetes']],
      ],
    ]);
    expect(synonyms([])).toEqual([]);
  });

  it.each([
    ['no array', 'sso, login', 'synonyms: an array of rules'],
    ['another value', ['a, b', 7], 'synonyms[1]: a rule such as "sso, single sign-on" or "k8s => kubernetes"'],
    ['one word', ['sso'], 'synonyms[0]: a rule such as "sso, single sign-on" or "k8s => kubernetes", with at least two different words'],
    ['the same word twice', ['SSO, sso'], 'at least two different words'],
    ['the same phrase in two forms', ['single sign-on => Single Sign On'], 'at least two different words'],
    ['an empty word', ['sso,, login'], 'with a letter or a digit in each word'],
    ['an empty side', ['sso =>'], 'with a letter or a digit in each word'],
    ['a word of signs', ['+++ => plus'], 'with a letter or a digit in each word'],
    ['two arrows', ['a => b => c'], 'with a letter or a digit in each word'],
    ['half a character', ['a, \ud800'], 'synonyms[0]: a rule such as'],
    ['too many words', [Array.from({ length: 33 }, (_, i) => `word${i}`).join()], 'synonyms[0]: at most 32 words and phrases'],
    ['a long word', [`a, ${'b'.repeat(101)}`], 'synonyms[0]: words and phrases of at most 100 characters'],
    ['too many rules', Array.from({ length: 501 }, () => 'a, b'), 'synonyms: at most 500 rules'],
    [
      'too much in all',
      Array.from({ length: 250 }, (_, i) => `${'a'.repeat(98)}, b${i}`),
      'synonyms: at most 20000 characters in all rules',
    ],
  ])('are refused with %s', (_, raw, message) => expect(refused(raw)).toContain(message));

  it('compare words in lower case, without hyphens, and with the signs that are part of a name', () => {
    expect(forms('Single-Sign-On, (SSO)!')).toEqual(['single', 'sign', 'on', 'sso']);
    expect(forms('C++ and C# on .NET; node.js 20.1...')).toEqual(['c++', 'and', 'c#', 'on', '.net', 'node.js', '20.1']);
    expect(forms('AT&T ... max_tokens — naïve ++')).toEqual(['at&t', 'max_tokens', 'naïve']);
    expect(forms("'x' '@y@' ..z +.net a'' 𝒳'")).toEqual(['x', '@y', 'z', '.net', 'a', '𝒳']);
    // Long enough that more than one pass over them would time out.
    for (const signs of ['@', "@'", "'", '.']) expect(forms(signs.repeat(60_000))).toEqual([]);
    expect(placedWords('the SSO.').at(-1)).toEqual({ form: 'sso', start: 4, end: 7 });
  });

  it('compare a text of signs without delay', () => expect(forms(`a${'.'.repeat(4_000)}b ${"'".repeat(4_000)}`)).toHaveLength(1));
});
