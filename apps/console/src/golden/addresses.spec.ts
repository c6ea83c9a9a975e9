import { judgePath, setPath, toJudgeIn } from './addresses.ts';

it('keeps what is judged in the address', () => {
  const asked = { query: 'who & why?', scope: 'team:red', set: 'faq' };
  expect(toJudgeIn(new URL(judgePath(asked), 'http://localhost').searchParams)).toEqual(asked);
  expect(judgePath({ query: '' })).toBe('/golden-queries/judge?');
  expect(toJudgeIn(new URLSearchParams('q=%20a%20'))).toEqual({ query: 'a', scope: undefined, set: undefined });
});

it('names a set with its scope', () => expect(setPath({ scope: 'user:a/b', set: 'faq' })).toBe('/golden-queries/sets/user%3Aa%2Fb/faq'));
