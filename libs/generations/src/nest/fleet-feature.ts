import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { EmbeddingProviders, ModelRegistry, PartitionLeases, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import type { Rechunking } from '../chunk-lists.ts';
import { AdvanceFleet } from '../fleet/advance-fleet.ts';
import { fleetFigures } from '../fleet/fleet-figures.ts';
import { FleetProgress } from '../fleet/fleet-progress.ts';
import { FleetWorker } from '../fleet/fleet-worker.ts';
import { ManageFleets } from '../fleet/manage-fleets.ts';
import { MoveScope } from '../fleet/move-scope.ts';
import { PlanFleets, type PlanFleetsPorts } from '../fleet/plan-fleets.ts';
import { measureScopes } from '../plan/measure-scopes.ts';
import { RetireScopes } from '../fleet/retire-scopes.ts';
import { FleetController } from './fleet-controller.ts';

export type FleetFeaturePorts = Readonly<{
  journal: Journal;
  leases: PartitionLeases;
  keys: ScopeKeys;
  catalog: Catalog;
  vectors: VectorIndex;
  /** A process that answers no searches has none. */
  lexical?: LexicalIndex;
  readModels: ReadModels;
  providers: EmbeddingProviders & Pick<ModelRegistry, 'direct'>;
  /** Chunks documents again: for plans of another chunking. */
  rechunk: Pick<Rechunking, 'preview'>;
  now: Now;
  onFault: OnFault;
  system: System;
  settings: Readonly<{ swapsRequirePlan: boolean; reembeddingConcurrency: number }>;
}>;

/** Moves many scopes to another model, in waves. */
export const fleets = feature('fleets', (ports: FleetFeaturePorts) => {
  const { journal, leases, keys, catalog, vectors, lexical, readModels, providers, rechunk, now, onFault, system, settings } = ports;
  const progress = new FleetProgress({ journal, system, onFault });
  const scopes = new MoveScope({ journal, catalog, keys, providers, now });
  const indexes = { vectors, ...(lexical ? { lexical } : {}), readModels };
  const retirement = new RetireScopes({ scopes, progress, indexes });
  const advance = new AdvanceFleet({ journal, catalog, readModels, progress, scopes, retirement, now });
  const { scheduler, clock } = system;
  const forPlans = { ...indexes, journal, catalog, keys, rechunk, providers, settings, scheduler, elapsed: () => clock.elapsed() };
  const measure: PlanFleetsPorts['measure'] = (...asked) => measureScopes(forPlans, ...asked);
  const requirePlan = settings.swapsRequirePlan;
  return {
    offers: { fleets: { figures: () => fleetFigures(progress.list()) } },
    followers: [progress],
    useCases: [
      new ManageFleets({ journal, catalog, providers, progress, advance, system, now, requirePlan }),
      new PlanFleets({ journal, catalog, providers, progress, measure, system, now }),
    ],
    consumers: [new FleetWorker({ journal, leases, progress, advance, onFault, system })],
    routes: [FleetController],
  };
});
