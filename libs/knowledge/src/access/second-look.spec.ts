import fc from 'fast-check';
import { tenantId } from '../values/tenant.ts';
import { vectorScope } from '../values/scope.ts';
import { authorise, ROLES, type Access } from './access.ts';
import { IsolationBreach, secondLook } from './second-look.ts';

const teams = fc.uniqueArray(fc.constantFrom('red', 'blue', '*', 'platform'), { maxLength: 3 });
const access: fc.Arbitrary<Access> = fc
  .record({ tenant: fc.constantFrom(tenantId('acme'), tenantId('other')), teams, user: fc.constantFrom(undefined, 'ann', '*', 'red'), roles: fc.uniqueArray(fc.constantFrom(...ROLES), { maxLength: 3 }) })
  .map(({ user, ...rest }) => ({ ...rest, actor: 'key:1', ...(user === undefined ? {} : { user }) }));
const scope = fc.constantFrom(...['platform', 'deployment', 'team:red', 'team:blue', 'team:green', 'user:ann', 'user:red', 'user:bob'].map((each) => vectorScope(each)));
const tenant = fc.constantFrom(tenantId('acme'), tenantId('other'));

const passes = (given: Access, place: Parameters<typeof secondLook>[1]): boolean => {
  try {
    return secondLook(given, place) === place;
  } catch (error) {
    expect(error).toBeInstanceOf(IsolationBreach);
    return false;
  }
};

describe('The second look', () => {
  it('comes to what the first one came to, by another way, and holds tenants apart', () =>
    fc.assert(fc.property(access, scope, tenant, (given, of, at) => expect(passes(given, { scope: of, tenant: at })).toBe(at === given.tenant && authorise(given, [of]).length === 1))));

  it('names no content, only who was about to see what place', () =>
    expect(() => secondLook({ tenant: tenantId('acme'), teams: ['blue'], roles: ['reader'], actor: 'key:7' }, { scope: vectorScope('team:red') })).toThrow('key:7 of acme was about to be shown something of acme/team:red'));
});
