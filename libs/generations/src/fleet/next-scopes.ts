import { scopeKey, type TenantId } from '@palimpsest/knowledge/values';
import type { AssignedScope } from '@palimpsest/knowledge/fleet';
import { isRunning, type ScopeProgress } from './scope-progress.ts';
import type { KnownFleet } from './fleet-progress.ts';

/**
 * The scopes to start next, in order: always one of the tenant with the fewest running swaps of the fleet, so that no tenant waits for a large one.
 * Lazily, since a scope that is left out takes no place.
 */
export function* nextScopes({ fleet, scopes }: KnownFleet): Generator<AssignedScope> {
  const tenants = new Map<TenantId, { running: number; readonly waiting: AssignedScope[] }>();
  for (const [key, assigned] of fleet.scopes) {
    const progress = progressOf(scopes, key);
    const tenant = tenants.get(assigned.tenant) ?? { running: 0, waiting: [] };
    tenants.set(assigned.tenant, tenant);
    if (isRunning(progress)) tenant.running++;
    if (progress.state === 'waiting' && assigned.wave <= fleet.wave) tenant.waiting.push(assigned);
  }
  const queues = [...tenants.values()].map(({ running, waiting }) => ({ running, waiting: waiting.values() }));
  while (queues.length > 0) {
    const [first] = queues.sort((a, b) => a.running - b.running);
    const next = first?.waiting.next();
    if (first === undefined || next?.done !== false) {
      queues.shift();
      continue;
    }
    yield next.value;
    first.running++;
  }
}

const NOT_STARTED: ScopeProgress = { state: 'waiting' };

const progressOf = (scopes: KnownFleet['scopes'], key: string): ScopeProgress => scopes.get(key) ?? NOT_STARTED;

/** Each assigned scope with its progress; with `wave`, only those of the wave. */
export const withProgress = (
  { fleet, scopes }: KnownFleet,
  wave?: number,
): readonly Readonly<{ scope: AssignedScope; progress: ScopeProgress }>[] =>
  [...fleet.scopes.values()]
    .filter((scope) => wave === undefined || scope.wave === wave)
    .map((scope) => ({ scope, progress: progressOf(scopes, scopeKey(scope)) }));
