import fc from 'fast-check';
import { tenantId } from '../values/tenant.ts';
import { vectorScope } from '../values/scope.ts';
import { satisfies } from './required-labels.ts';
import { authorise, ROLES, type Access } from './access.ts';
import { IsolationBreach, assertVisible } from './assert-visible.ts';

const teams = fc.uniqueArray(fc.constantFrom('red', 'blue', '*', 'platform'), { maxLength: 3 });
const access: fc.Arbitrary<Access> = fc
  .record({
    tenant: fc.constantFrom(tenantId('acme'), tenantId('other')),
    teams,
    user: fc.constantFrom(undefined, 'ann', '*', 'red'),
    roles: fc.uniqueArray(fc.constantFrom(...ROLES), { maxLength: 3 }),
  })
  .map(({ user, ...rest }) => ({ ...rest, actor: 'key:1', ...(user === undefined ? {} : { user }) }));
const scope = fc.constantFrom(
  ...['platform', 'deployment', 'team:red', 'team:blue', 'team:green', 'user:ann', 'user:red', 'user:bob'].map((each) => vectorScope(each)),
);
const tenant = fc.constantFrom(tenantId('acme'), tenantId('other'));

const passes = (given: Access, place: Parameters<typeof assertVisible>[1]): boolean => {
  try {
    return assertVisible(given, place) === place;
  } catch (error) {
    expect(error).toBeInstanceOf(IsolationBreach);
    return false;
  }
};

describe('The visibility check', () => {
  it('decides like `authorise`, with separate code, and separates tenants', () =>
    fc.assert(
      fc.property(access, scope, tenant, (given, of, at) =>
        expect(passes(given, { scope: of, tenant: at })).toBe(at === given.tenant && authorise(given, [of]).length === 1),
      ),
    ));

  const label = fc.constantFrom('department', 'region', 'constructor');
  const value = fc.constantFrom('hr', 'legal', '');
  it('decides about labels like the catalog, with separate code', () =>
    fc.assert(
      fc.property(
        fc.dictionary(label, value),
        fc.dictionary(label, fc.array(value, { minLength: 1, maxLength: 2 })),
        (labels, required) => {
          const given: Access = { tenant: tenantId('acme'), teams: [], roles: ['reader'], actor: 'key:1', requiredLabels: required };
          expect(passes(given, { scope: vectorScope('deployment'), labels })).toBe(satisfies(labels, required));
          expect(passes(given, { scope: vectorScope('deployment') })).toBe(true);
          const { requiredLabels: _, ...unlimited } = given;
          expect(passes(unlimited, { scope: vectorScope('deployment'), labels })).toBe(true);
        },
      ),
    ));

  it('names only the caller and the scope, never contents', () =>
    expect(() =>
      assertVisible({ tenant: tenantId('acme'), teams: ['blue'], roles: ['reader'], actor: 'key:7' }, { scope: vectorScope('team:red') }),
    ).toThrow('a response to key:7 of acme contained data of acme/team:red'));
});
