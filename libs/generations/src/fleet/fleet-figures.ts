import { isOver, type FleetStage } from '@palimpsest/knowledge/fleet';
import type { KnownFleet } from './fleet-progress.ts';
import { withProgress } from './next-scopes.ts';
import type { FleetScopeState } from './scope-progress.ts';

/** Fleets that are not over, and their scopes, by state. A missing state means none. */
export type FleetFigures = Readonly<{
  fleets: Readonly<Partial<Record<FleetStage, number>>>;
  scopes: Readonly<Partial<Record<FleetScopeState, number>>>;
}>;

export const fleetFigures = (all: readonly KnownFleet[]): FleetFigures => {
  const current = all.filter(({ fleet }) => fleet.started && !isOver(fleet));
  return {
    fleets: counted(current.map(({ fleet }) => fleet.stage)),
    scopes: counted(current.flatMap((known) => withProgress(known).map(({ progress }) => progress.state))),
  };
};

const counted = <Key extends string>(keys: readonly Key[]): Readonly<Partial<Record<Key, number>>> =>
  Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, { length }]) => [key, length])) as Partial<Record<Key, number>>;
