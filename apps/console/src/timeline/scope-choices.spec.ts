import { scopeChoices } from './scope-choices.ts';

it('a key with every team chooses from the scopes of its knowledge bases', () =>
  expect(
    scopeChoices({
      caller: { teams: ['*'] },
      knowledgeBases: [{ scope: 'team:red' }, { scope: 'deployment' }, { scope: 'team:red' }],
      chosen: 'deployment',
    }),
  ).toEqual(['deployment', 'team:red']));

it('the scope of the address can always be seen', () =>
  expect(scopeChoices({ caller: { teams: ['blue'], user: 'ann' }, knowledgeBases: [], chosen: 'team:red' })).toEqual([
    'deployment',
    'team:blue',
    'user:ann',
    'team:red',
  ]));
