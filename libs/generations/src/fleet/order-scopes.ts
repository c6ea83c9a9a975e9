import { createHash } from 'node:crypto';
import { wavesOf, type AssignedScope, type FleetPlan } from '@palimpsest/knowledge/fleet';
import { scopeKey, type TenantScope } from '@palimpsest/knowledge/values';

/** By a digest of seed and names: the order does not depend on when the scopes were created, and no tenant comes first. */
export const ordered = (scopes: readonly TenantScope[], seed: number): readonly TenantScope[] =>
  scopes
    .map((scope) => ({
      scope,
      place: createHash('sha256')
        .update(`${seed}/${scopeKey(scope)}`)
        .digest('hex'),
    }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ scope: { tenant, scope } }) => ({ tenant, scope }));

/**
 * The wave of each scope. Named scopes are the first wave. The others are divided by the percentages in the given order; a wave has at least one
 * scope as long as there is one.
 */
export const assignWaves = (
  scopes: readonly TenantScope[],
  { canary, percents, seed }: Pick<FleetPlan, 'canary' | 'percents' | 'seed'>,
): readonly AssignedScope[] => {
  const named = new Set(canary.map(scopeKey));
  const inOrder = ordered(scopes, seed);
  const first = inOrder.filter((scope) => named.has(scopeKey(scope)));
  const others = inOrder.filter((scope) => !named.has(scopeKey(scope)));
  const offset = canary.length > 0 ? 1 : 0;
  const ends = percents.map((percent) => Math.ceil((others.length * percent) / 100));
  return [
    ...first.map((scope) => ({ ...scope, wave: 0 })),
    ...others.map((scope, i) => ({ ...scope, wave: offset + ends.findIndex((end) => i < end) })),
  ];
};

/** The number of the last wave. */
export const lastWave = (plan: Pick<FleetPlan, 'canary' | 'percents'>): number => wavesOf(plan).length - 1;
