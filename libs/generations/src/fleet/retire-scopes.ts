import type { LeftOutScope, RetiredScope } from '@palimpsest/knowledge/fleet';
import type { IndexBytes } from '@palimpsest/knowledge/plans';
import { asThePlatform } from '../evaluation/as-the-platform.ts';
import { measuringFreed, type MeasuredIndexes } from '../freed-bytes.ts';
import type { FleetProgress, KnownFleet } from './fleet-progress.ts';
import type { MoveScope } from './move-scope.ts';
import { withProgress } from './next-scopes.ts';
import { FLEET_ACTOR } from './scope-progress.ts';

export type RetireScopesPorts = Readonly<{
  scopes: Pick<MoveScope, 'older' | 'retire'>;
  progress: Pick<FleetProgress, 'reached'>;
  /** The indexes of this process, to measure what is freed. */
  indexes: MeasuredIndexes;
}>;

/** `retired`: nothing older is in standby any more. `kept`: scopes with a swap of their own. */
export type RetiredScopes = Readonly<{ retired: readonly RetiredScope[]; kept: readonly LeftOutScope[] }>;

/** Scopes in one step, so that other fleets go on. */
const STEP = 25;

/**
 * Retires what scopes of a fleet used before. A scope that is repeated after a kill has nothing left in standby, and what it freed is not
 * known any more.
 */
export class RetireScopes {
  readonly #ports: RetireScopesPorts;

  constructor(ports: RetireScopesPorts) {
    this.#ports = ports;
  }

  /** @throws errors of the log */
  async some(known: KnownFleet, signal: AbortSignal): Promise<RetiredScopes> {
    const retired: RetiredScope[] = [];
    const kept: LeftOutScope[] = [];
    const open = withProgress(known).filter(({ progress }) => progress.retires === true);
    for (const { scope, progress } of open.slice(0, STEP)) {
      if (progress.generation === undefined) continue;
      signal.throwIfAborted();
      const { tenant, scope: name } = scope;
      const outcome = await this.#retire(known.id, { tenant, scope: name }, progress.generation);
      if (outcome === 'kept') kept.push({ tenant, scope: name, reason: 'cannot-retire' });
      else if (outcome !== 'changed') retired.push({ tenant, scope: name, ...(outcome.freed ? { freed: outcome.freed } : {}) });
    }
    return { retired, kept };
  }

  /** `changed`: its administrator activated another generation, which its events say. */
  async #retire(
    fleet: KnownFleet['id'],
    scope: Pick<LeftOutScope, 'tenant' | 'scope'>,
    generation: Parameters<MoveScope['older']>[1],
  ): Promise<Readonly<{ freed?: IndexBytes }> | 'kept' | 'changed'> {
    const { scopes, progress, indexes } = this.#ports;
    const { position, refused, older } = await scopes.older(scope, generation);
    await progress.reached(position);
    if (refused !== undefined) return 'kept';
    if (!older) return 'changed';
    let freed: IndexBytes | undefined;
    for (const each of older) {
      const partition = { scope: asThePlatform(scope, FLEET_ACTOR), generation: each };
      const done = await measuringFreed(indexes, partition, () => scopes.retire(fleet, scope, generation, each));
      await progress.reached(done.position);
      if (done.acted && done.freed) freed = sum(freed, done.freed);
    }
    // Another swap may have begun in between.
    const after = await scopes.older(scope, generation);
    if (after.refused !== undefined) return 'kept';
    if (after.older?.length !== 0) return 'changed';
    return freed ? { freed } : {};
  }
}

const sum = (a: IndexBytes = { memory: 0, disk: 0 }, b: IndexBytes): IndexBytes => ({ memory: a.memory + b.memory, disk: a.disk + b.disk });
