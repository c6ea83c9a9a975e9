import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { TenantId, TenantScope } from '@palimpsest/knowledge/values';
import { asThePlatform } from '../evaluation/as-the-platform.ts';
import type { RecipeTarget } from '../wanted-recipe.ts';
import type { EmbeddedSample } from './embed-sample.ts';
import { measureScope, type Measured, type MeasureOptions, type MeasurePorts } from './measure-scope.ts';
import { totalsOf, type Totals } from './totals.ts';

/** `left`: scopes that have the model, are being moved, or do not exist any more. */
export type MeasuredScopes = Readonly<{ tenants: readonly (Totals & Readonly<{ tenant: TenantId }>)[]; total: Totals; left: number }>;

/** Texts that are read for all scopes together, and at least for each. */
const READ = { all: 20_000, each: 50 } as const;
/** Documents that are chunked again for all scopes together, if the chunking changes. At least one for each. */
const RECHUNKED = 200;

/** What swaps of these scopes would take, by tenant. The speed of the model is measured once. @throws errors of the model */
export const measureScopes = async (
  ports: MeasurePorts,
  scopes: readonly TenantScope[],
  { target, sample, seed }: Readonly<{ target: RecipeTarget; sample: number; seed?: number }>,
  signal: AbortSignal = new AbortController().signal,
): Promise<MeasuredScopes> => {
  const byTenant = new Map<TenantId, Measured['figures'][]>();
  const maxRead = Math.max(READ.each, Math.floor(READ.all / Math.max(1, scopes.length)));
  const maxRechunked = Math.max(1, Math.floor(RECHUNKED / Math.max(1, scopes.length)));
  const common = { target, sample, maxRead, maxRechunked, cutover: 'automatic' as const, ...(seed === undefined ? {} : { seed }) };
  let [speed, left]: [EmbeddedSample | undefined, number] = [undefined, 0];
  for (const scope of scopes) {
    const measured = await measure(ports, scope, { ...common, ...(speed ? { speed } : {}) }, signal);
    speed ??= measured?.speed;
    if (measured) byTenant.set(scope.tenant, [...(byTenant.get(scope.tenant) ?? []), measured.figures]);
    else left++;
  }
  const tenants = [...byTenant].map(([tenant, figures]) => ({ tenant, ...totalsOf(figures) }));
  return { tenants, total: totalsOf([...byTenant.values()].flat()), left };
};

/** Undefined for a scope that has the model, or is being moved. */
const measure = async (
  ports: MeasurePorts,
  scope: TenantScope,
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<Measured | undefined> => {
  try {
    return await measureScope(ports, asThePlatform(scope, 'swap-planner'), options, signal);
  } catch (error) {
    if (error instanceof Conflict || error instanceof NotFound || error instanceof ScopeKeyDestroyed) return undefined;
    throw error;
  }
};
