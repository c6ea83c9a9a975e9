import { MAX_WORDINGS, wordingsOf } from './wordings.ts';

const wordings = (query: string, ...rules: string[]) => wordingsOf(query, rules).wordings;

describe('The wordings of a query', () => {
  it('are the query itself, to the letter, without rules for its words', () => {
    expect(wordingsOf('ﬁnd  the SSO', [])).toEqual({ wordings: ['ﬁnd  the SSO'], added: [], limited: false });
    expect(wordings('ﬁnd  the SSO', 'k8s, kubernetes')).toEqual(['ﬁnd  the SSO']);
  });

  it('have each word of equal words in place of each other', () => {
    const rule = 'sso, single sign-on, federated login';
    expect(wordings('Is SSO free?', rule)).toEqual(['Is SSO free?', 'Is single sign-on free?', 'Is federated login free?']);
    expect(wordings('single-sign-on price', rule)).toEqual(['single-sign-on price', 'sso price', 'federated login price']);
    expect(wordingsOf('Is SSO free?', [rule]).added).toEqual([{ word: 'SSO', synonyms: ['single sign-on', 'federated login'] }]);
  });

  it('have the right side of a rule in place of its left side, and not the reverse', () => {
    expect(wordings('k8s nodes', 'k8s, kube => kubernetes')).toEqual(['k8s nodes', 'kubernetes nodes']);
    expect(wordings('kubernetes nodes', 'k8s, kube => kubernetes')).toEqual(['kubernetes nodes']);
  });

  it('apply rules once: a circle of rules ends, and synonyms have no synonyms', () => {
    const circle = ['a => b', 'b => c', 'c => a'];
    expect(wordings('a', ...circle)).toEqual(['a', 'b']);
    expect(wordings('c b', ...circle)).toEqual(['c b', 'a b', 'c c', 'a c']);
    expect(wordings('a', 'a, b', 'b, a', 'a => A, b, c')).toEqual(['a', 'b', 'c']);
  });

  it('replace whole words only, and prefer the longest phrase', () => {
    expect(wordings('lesson os.path sso_url', 'sso, login', 'os, system', 'less, more')).toEqual(['lesson os.path sso_url']);
    expect(wordings('new york times', 'new york, nyc', 'new york times, nyt', 'york, eboracum')).toEqual(['new york times', 'nyt']);
  });

  it('find words in texts without blanks, and Korean words with particles', () => {
    expect(wordings('怎么登录系统', '登录, 登入')).toEqual(['怎么登录系统', '怎么登入系统']);
    expect(wordings('쿠버네티스를 설치', '쿠버네티스 => kubernetes')).toEqual(['쿠버네티스를 설치', 'kubernetes를 설치']);
  });

  it('replace a repeated word everywhere', () => expect(wordings('sso or SSO', 'sso, login')).toEqual(['sso or SSO', 'login or login']));

  it('combine the synonyms of several words, those that replace fewer words first', () =>
    expect(wordings('sso on k8s', 'sso, login', 'k8s => kubernetes, kube')).toEqual([
      'sso on k8s',
      'login on k8s',
      'sso on kubernetes',
      'sso on kube',
      'login on kubernetes',
      'login on kube',
    ]));

  it('are limited, and say so', () => {
    const rules = Array.from({ length: 300 }, (_, i) => `w${i}, s${i}, t${i}`);
    const query = Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ');
    const found = wordingsOf(query, rules);
    expect(found.wordings).toHaveLength(MAX_WORDINGS);
    expect(new Set(found.wordings).size).toBe(MAX_WORDINGS);
    expect(found.wordings[0]).toBe(query);
    expect(found.added).toHaveLength(300);
    expect(found.limited).toBe(true);
    expect(wordingsOf('w0 w1', rules).limited).toBe(false);
    expect(wordings('a', `a, ${Array.from({ length: 31 }, (_, i) => `x${i}`).join()}`)).toHaveLength(MAX_WORDINGS);
  });
});
