import fc from 'fast-check';
import { tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { assignWaves, ordered } from './order-scopes.ts';

const scopes = (count: number, tenants = 3): readonly TenantScope[] =>
  Array.from({ length: count }, (_, n) => ({ tenant: tenantId(`tenant-${n % tenants}`), scope: vectorScope(`team:${n}`) }));
const PLAN = { canary: [], percents: [1, 10, 100], seed: 7 };
const sizes = (waves: readonly Readonly<{ wave: number }>[]): readonly number[] =>
  [...Map.groupBy(waves, ({ wave }) => wave)].sort(([a], [b]) => a - b).map(([, { length }]) => length);

describe('the waves of scopes', () => {
  it('have the given shares, with at least one scope each', () => {
    expect(sizes(assignWaves(scopes(1_000), PLAN))).toEqual([10, 90, 900]);
    expect(sizes(assignWaves(scopes(12), PLAN))).toEqual([1, 1, 10]);
    expect(sizes(assignWaves(scopes(12), { ...PLAN, percents: [100] }))).toEqual([12]);
    expect(assignWaves([], PLAN)).toEqual([]);
  });

  it('begin with the named scopes', () => {
    const all = scopes(20);
    const canary = [all[3] as TenantScope, all[17] as TenantScope];
    const waves = assignWaves(all, { ...PLAN, canary });
    expect(
      waves
        .filter(({ wave }) => wave === 0)
        .map(({ scope }) => scope)
        .sort(),
    ).toEqual(['team:17', 'team:3']);
    expect(sizes(waves)).toEqual([2, 1, 1, 16]);
  });

  it('depend on the seed and the names, and not on the order of the scopes', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), fc.shuffledSubarray([...scopes(30)], { minLength: 30 }), (seed, shuffled) => {
        expect(assignWaves(shuffled, { ...PLAN, seed })).toEqual(assignWaves(scopes(30), { ...PLAN, seed }));
      }),
      { numRuns: 50 },
    ));

  it('have another order with another seed, and contain each scope once', () => {
    expect(ordered(scopes(30), 1)).not.toEqual(ordered(scopes(30), 2));
    const names = assignWaves(scopes(30), PLAN).map(({ scope }) => scope);
    expect(names.toSorted()).toEqual(
      scopes(30)
        .map(({ scope }) => scope)
        .toSorted(),
    );
  });

  it('mix the tenants: a large one does not come first', () => {
    const [large, small] = [scopes(90, 1), scopes(10, 1).map(({ scope }) => ({ tenant: tenantId('small'), scope }))];
    const places = ordered([...large, ...small], 7).flatMap(({ tenant }, i) => (tenant === 'small' ? [i] : []));
    expect(Math.min(...places)).toBeLessThan(50);
    expect(Math.max(...places)).toBeGreaterThan(50);
  });
});
