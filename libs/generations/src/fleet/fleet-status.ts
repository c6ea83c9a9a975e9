import type { FleetView } from '@palimpsest/contracts/http';
import { authorise, hasRole, type Access } from '@palimpsest/knowledge/access';
import {
  isOver,
  wavesOf,
  type AssignedScope,
  type Fleet,
  type FleetRetirement,
  type FleetStarted,
  type LeftOutReason,
} from '@palimpsest/knowledge/fleet';
import type { KnownFleet } from './fleet-progress.ts';
import { withProgress } from './next-scopes.ts';
import { isBeforeCutOver, isOpen, type FleetScopeState, type ScopeProgress } from './scope-progress.ts';

const MAX_LISTED = 100;

const ATTENTION: readonly FleetScopeState[] = ['undecided', 'worse', 'failed', 'held', 'left-out'];
/** What the administrator of a scope did, unless the fleet did it. */
const UNDONE: readonly FleetScopeState[] = ['cancelled', 'rolled-back', 'replaced'];

const LEFT_OUT: Readonly<Record<LeftOutReason, string>> = {
  'has-model': 'it has the model already',
  'own-swap': 'it has a swap of its own: finish or cancel that swap',
  'not-found': 'it does not exist any more',
  erased: 'its key was destroyed',
  'cannot-roll-back': 'its previous generation was retired, so it cannot be rolled back',
  'cannot-retire': 'it has a swap of its own, so what it used before was not retired',
};

/** A fleet belongs to the operators, and that of one tenant also to the admins of the tenant. */
export const maySee = (access: Access, { fleet: { started, planned } }: KnownFleet): boolean =>
  hasRole(access, 'operator') || (hasRole(access, 'admin') && (started ?? planned?.plan)?.tenant === access.tenant);

/** A fleet as this caller may see it: scopes that it may not read have no name. */
export const fleetStatus = (access: Access, known: KnownFleet, started: FleetStarted['data']): FleetView => {
  const { fleet } = known;
  const { tenant, embeddingVersion, chunking, rule, scopesAtOnce, seed, startedAt } = started;
  return {
    id: known.id,
    ...(tenant === undefined ? {} : { tenant }),
    embeddingVersion,
    ...(chunking === undefined ? {} : { chunking }),
    state: fleet.stage,
    wave: fleet.wave + 1,
    unfinished: unfinished(known, started),
    waves: wavesOf(started).map((name, wave) => waveOf(known, name, wave)),
    rule,
    scopesAtOnce,
    seed,
    startedAt,
    ...(fleet.paused ? { paused: fleet.paused } : {}),
    ...(fleet.retired ? { retired: retirement(fleet.retired) } : {}),
    needsAttention: attention(access, known),
  };
};

const retirement = ({ at, scopes }: FleetRetirement): NonNullable<FleetView['retired']> => {
  const measured = [...scopes.values()].flatMap(({ freed }) => freed ?? []);
  const sum = (of: 'memory' | 'disk'): number => measured.reduce((all, freed) => all + freed[of], 0);
  return { at, ...(measured.length === 0 ? {} : { freed: { scopes: measured.length, memory: sum('memory'), disk: sum('disk') } }) };
};

const waveOf = (known: KnownFleet, name: string, wave: number): FleetView['waves'][number] => {
  const { fleet } = known;
  const all = withProgress(known, wave);
  const counts = Map.groupBy(all, ({ progress }) => progress.state);
  const completed = fleet.completed.get(wave);
  return {
    name,
    state: completed ? 'complete' : isOver(fleet) ? 'ended' : fleet.stage !== 'assigning' && wave <= fleet.wave ? 'running' : 'waiting',
    scopes: all.length,
    tenants: new Set(all.map(({ scope }) => scope.tenant)).size,
    counts: Object.fromEntries([...counts].map(([state, { length }]) => [state, length])),
    ...(completed ? { completedAt: completed.at } : {}),
  };
};

/** After a cancellation, scopes that were not started stay as they are. */
const unfinished = (known: KnownFleet, { rule }: FleetStarted['data']): number => {
  const left = (progress: ScopeProgress): boolean => {
    if (progress.retires) return true;
    switch (known.fleet.stage) {
      case 'cancelled':
        return isBeforeCutOver(progress);
      case 'rolled-back':
        return isBeforeCutOver(progress) || (progress.state === 'moved' && progress.goesBack === true);
      default:
        return isOpen(progress, rule);
    }
  };
  return withProgress(known).filter(({ progress }) => left(progress)).length;
};

const attention = (access: Access, known: KnownFleet): FleetView['needsAttention'] => {
  const found = withProgress(known).filter(({ progress }) => needsAttention(progress, known.fleet));
  return {
    total: found.length,
    scopes: found.slice(0, MAX_LISTED).map(({ scope, progress }) => ({
      tenant: scope.tenant,
      ...shown(access, scope, progress),
      wave: scope.wave + 1,
      state: progress.state,
    })),
  };
};

const needsAttention = ({ state, reason }: ScopeProgress, { stage, started }: Fleet): boolean => {
  if (state === 'left-out') return reason !== 'has-model';
  if (state === 'undecided' && started?.rule.undecided === 'cut-over') return false;
  if (UNDONE.includes(state)) return stage !== 'cancelled' && stage !== 'rolled-back';
  return ATTENTION.includes(state);
};

/** The reason that a person gave belongs to the readers of the scope, like its name. */
const shown = (access: Access, { tenant, scope }: AssignedScope, { state, reason }: ScopeProgress) => {
  const readable = tenant === access.tenant && authorise(access, [scope]).length > 0;
  const text = state === 'left-out' ? LEFT_OUT[reason as LeftOutReason] : state === 'held' && !readable ? undefined : reason;
  return { ...(readable ? { scope } : {}), ...(text === undefined ? {} : { reason: text }) };
};
