import { EMPTY_FLEET, fleetActionsOf, newFleetOf } from './fleet-actions.ts';

describe('the actions of a fleet', () => {
  it.each([
    ['assigning', undefined, []],
    ['running', undefined, ['pause', 'cancel', 'rollBack']],
    ['waiting', undefined, ['continue', 'cancel', 'rollBack']],
    ['paused', 'person', ['resume', 'cancel', 'rollBack']],
    ['paused', 'platform', ['resume', 'cancel', 'rollBack']],
    ['paused', 'rule', ['resume', 'continue', 'cancel', 'rollBack']],
    ['complete', undefined, ['rollBack']],
    ['cancelled', undefined, ['rollBack']],
    ['rolled-back', undefined, []],
  ] as const)('%s by %s', (state, by, expected) => {
    expect(fleetActionsOf({ state, ...(by === undefined ? {} : { paused: { by, reason: '', at: '' } }) })).toEqual(expected);
  });
});

describe('a new fleet', () => {
  it('has the defaults of the form', () => {
    expect(newFleetOf(EMPTY_FLEET, 'fake:large/16')).toEqual({
      ...{ embeddingVersion: 'fake:large/16', allTenants: undefined, canary: [], percents: [1, 10, 100] },
      ...{ worsePercent: 0, faults: 0, undecided: 'wait', advance: 'manual', scopesAtOnce: 4 },
    });
  });

  it('names canary scopes of the own tenant and of others', () => {
    const draft = { ...EMPTY_FLEET, allTenants: true, canary: 'team:red, acme/deployment\ncore/user:ann', percents: '50,100' };
    expect(newFleetOf(draft, undefined)).toMatchObject({
      allTenants: true,
      canary: [{ scope: 'team:red' }, { tenant: 'acme', scope: 'deployment' }, { tenant: 'core', scope: 'user:ann' }],
      percents: [50, 100],
    });
  });
});
