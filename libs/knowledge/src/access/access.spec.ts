import { authorise, isNamedByKey, type Access } from './access.ts';
import { tenantId } from '../values/tenant.ts';
import { vectorScope } from '../values/scope.ts';

const access = (over: Partial<Access> = {}): Access => ({ tenant: tenantId('acme'), teams: ['red'], user: 'ann', roles: ['reader'], actor: 'key-1', ...over });
const all = ['platform', 'deployment', 'team:red', 'team:blue', 'user:ann', 'user:bob'].map((s) => vectorScope(s));
const permitted = (a: Access) => authorise(a, all).map(({ scope }) => scope);

describe('authorise', () => {
  it('lets a reader into the shared scopes, its own teams and its own user', () =>
    expect(permitted(access())).toEqual(['deployment', 'platform', 'team:red', 'user:ann']));
  it('drops what is not permitted rather than refuse', () => expect(authorise(access(), [vectorScope('team:blue')])).toEqual([]));
  it('lets nobody in without a reading role', () => expect(permitted(access({ roles: ['operator'] }))).toEqual([]));
  it('takes * for every team, but not for users', () =>
    expect(permitted(access({ teams: ['*'], user: '*' }))).toEqual(['deployment', 'platform', 'team:blue', 'team:red']));
  it('stamps the caller’s own tenant on every scope', () => {
    for (const scope of authorise(access({ tenant: tenantId('other') }), all)) expect(scope.tenant).toBe('other');
  });
});

describe('a scope that exists for a caller, also while it is empty', () => {
  const named = (a: Access) => all.filter((scope) => isNamedByKey(a, scope));
  it('is one of every tenant, or one that the key names', () => expect(named(access())).toEqual(['platform', 'deployment', 'team:red', 'user:ann']));
  it('is no team that only * opens', () => expect(named(access({ teams: ['*'], user: '*' }))).toEqual(['platform', 'deployment']));
});
