import { EMPTY_FLEET, fleetActionsOf, newFleetOf, retiredText } from './fleet-actions.ts';

describe('the actions of a fleet', () => {
  it.each([
    ['assigning', undefined, []],
    ['running', undefined, ['pause', 'cancel', 'rollBack']],
    ['waiting', undefined, ['continue', 'cancel', 'rollBack']],
    ['paused', 'person', ['resume', 'cancel', 'rollBack']],
    ['paused', 'platform', ['resume', 'cancel', 'rollBack']],
    ['paused', 'rule', ['resume', 'continue', 'cancel', 'rollBack']],
    ['complete', undefined, ['rollBack', 'retire']],
    ['cancelled', undefined, ['rollBack', 'retire']],
    ['rolled-back', undefined, []],
  ] as const)('%s by %s', (state, by, expected) => {
    expect(fleetActionsOf({ state, ...(by === undefined ? {} : { paused: { by, reason: '', at: '' } }) })).toEqual(expected);
  });

  it('end with its retirement', () => {
    expect(fleetActionsOf({ state: 'complete', retired: { at: '' } })).toEqual([]);
  });
});

describe('a retirement', () => {
  const wave = (retired: number) => ({ name: 'all', state: 'complete', scopes: 4, tenants: 2, counts: { retired } }) as const;
  const freed = (scopes: number) => ({ at: '', freed: { scopes, memory: 2_621_440, disk: 512 } });
  it.each([
    [freed(3), '3 scopes retired. 2.5 MB of memory and 512 B of disk are free.'],
    [freed(2), '3 scopes retired. 2.5 MB of memory and 512 B of disk are free, measured in 2.'],
    [{ at: '' }, '3 scopes retired; what this freed was not measured.'],
  ])('says what it freed: %j', (retired, text) => {
    expect(retiredText({ waves: [wave(1), wave(2)], retired })).toBe(text);
  });
  it('says nothing before', () => {
    expect(retiredText({ waves: [wave(0)] })).toBeUndefined();
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
