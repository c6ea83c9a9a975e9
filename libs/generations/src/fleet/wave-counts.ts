import type { WaveCounts } from '@palimpsest/knowledge/fleet';
import type { KnownFleet } from './fleet-progress.ts';
import { withProgress } from './next-scopes.ts';
import { isOpen, type FleetScopeState } from './scope-progress.ts';

/** What the rule of a fleet looks at. */
export const waveCounts = (known: KnownFleet, wave: number): WaveCounts => {
  const all = withProgress(known, wave).map(({ progress }) => progress);
  const undecided = known.fleet.started?.rule.undecided ?? 'wait';
  const count = (state: FleetScopeState): number => all.filter((progress) => progress.state === state).length;
  return {
    scopes: all.length,
    open: all.filter((progress) => isOpen(progress, { undecided })).length,
    moved: count('moved'),
    worse: count('worse'),
    faults: count('failed'),
    leftOut: count('left-out'),
  };
};
