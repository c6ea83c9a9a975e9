import { authorise, isNamedByKey, requireAnyLabels, type Access } from './access.ts';
import { tenantId } from '../values/tenant.ts';
import { vectorScope } from '../values/scope.ts';

const access = (over: Partial<Access> = {}): Access => ({
  tenant: tenantId('acme'),
  teams: ['red'],
  user: 'ann',
  roles: ['reader'],
  actor: 'key-1',
  ...over,
});
const all = ['platform', 'deployment', 'team:red', 'team:blue', 'user:ann', 'user:bob'].map((s) => vectorScope(s));
const permitted = (a: Access) => authorise(a, all).map(({ scope }) => scope);

describe('authorise', () => {
  it('permits a reader the shared scopes, its own teams and its own user', () =>
    expect(permitted(access())).toEqual(['deployment', 'platform', 'team:red', 'user:ann']));
  it('drops scopes that are not permitted instead of refusing', () => expect(authorise(access(), [vectorScope('team:blue')])).toEqual([]));
  it('permits nothing without a reading role', () => expect(permitted(access({ roles: ['operator'] }))).toEqual([]));
  it('treats * as every team, but not as every user', () =>
    expect(permitted(access({ teams: ['*'], user: '*' }))).toEqual(['deployment', 'platform', 'team:blue', 'team:red']));
  it('adds the caller’s own tenant to every scope', () => {
    for (const scope of authorise(access({ tenant: tenantId('other') }), all)) expect(scope.tenant).toBe('other');
  });
});

describe('a key that requires labels', () => {
  const limited = access({ requiredLabels: { department: ['hr', 'legal'] } });
  it('limits every scope that it permits', () => {
    expect(permitted(limited)).toEqual(permitted(access()));
    for (const scope of authorise(limited, all)) expect(scope.requiredLabels).toEqual({ department: ['hr', 'legal'] });
    for (const scope of authorise(access(), all)) expect(scope).not.toHaveProperty('requiredLabels');
  });
  it('is refused for what concerns documents with any labels', () => {
    expect(() => requireAnyLabels(limited)).toThrow(
      'this operation cannot be limited to documents with certain labels; the API key is for documents with department=hr|legal only',
    );
    expect(requireAnyLabels(access())).toBeUndefined();
  });
});

describe('a scope that exists for a caller even while it is empty', () => {
  const named = (a: Access) => all.filter((scope) => isNamedByKey(a, scope));
  it('is part of every tenant, or is named by the key', () =>
    expect(named(access())).toEqual(['platform', 'deployment', 'team:red', 'user:ann']));
  it('is not a team that only * permits', () => expect(named(access({ teams: ['*'], user: '*' }))).toEqual(['platform', 'deployment']));
});
