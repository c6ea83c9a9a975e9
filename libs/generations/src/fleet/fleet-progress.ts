import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { projection, type Fact, type ScopeEvent } from '@palimpsest/knowledge/events';
import { fleet as decider, fleetId, type Fleet, type FleetEvent, type FleetId } from '@palimpsest/knowledge/fleet';
import { scopeKey, START, type GenerationId, type Position } from '@palimpsest/knowledge/values';
import { afterEvent, FLEET_ACTOR, started, type ScopeProgress } from './scope-progress.ts';

/** `scopes`: progress by `scopeKey`, for each assigned scope. */
export type KnownFleet = Readonly<{ id: FleetId; fleet: Fleet; scopes: ReadonlyMap<string, ScopeProgress> }>;

type Entry = { readonly id: FleetId; fleet: Fleet; readonly scopes: Map<string, ScopeProgress> };
type Parts = Readonly<{ journal: Journal; system: Pick<System, 'scheduler'>; onFault: (error: unknown, about: string) => void }>;

const PREFIX = 'fleet:';
/** The correlation id of all swaps of a fleet. */
export const correlationOf = (id: FleetId): string => `${PREFIX}${id}`;

/** In-memory projection of all fleets: their own events, and those of the scopes that they move. Nothing is scanned for progress. */
export class FleetProgress {
  readonly #parts: Parts;
  readonly #projection: InMemoryProjection;
  readonly #fleets = new Map<FleetId, Entry>();
  /** By `scopeKey`: the generations that fleets started. */
  readonly #moved = new Map<string, Map<GenerationId, Entry>>();
  #version = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const ofFleet = (fact: Fact<FleetEvent>): void => this.#fleetEvent(fact);
    const ofScope = (fact: Fact<ScopeEvent>): void => this.#scopeEvent(fact);
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('fleets', {
        FleetPlanned: ofFleet,
        FleetPlanApproved: ofFleet,
        FleetStarted: ofFleet,
        FleetScopesAssigned: ofFleet,
        FleetWaveStarted: ofFleet,
        FleetWaveCompleted: ofFleet,
        FleetScopesLeftOut: ofFleet,
        FleetPaused: ofFleet,
        FleetResumed: ofFleet,
        FleetWaveAccepted: ofFleet,
        FleetCompleted: ofFleet,
        FleetCancelled: ofFleet,
        FleetRolledBack: ofFleet,
        FleetRetired: ofFleet,
        FleetScopesRetired: ofFleet,
        GenerationStarted: ofScope,
        GenerationBuilt: ofScope,
        GenerationPaused: ofScope,
        GenerationResumed: ofScope,
        GenerationEvaluated: ofScope,
        GenerationActivated: ofScope,
        GenerationRetired: ofScope,
      }),
      parts.system.scheduler,
    );
  }

  /** Changes with each event that concerns a fleet. */
  get version(): number {
    return this.#version;
  }

  /** @throws read errors, for example of a damaged log */
  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following the fleets'));
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  /** Resolves when everything up to `position` is known; with `timeoutMs`, after that time at the latest. */
  reached(position: Position, timeoutMs?: number): Promise<void> {
    return this.#projection.reached(position, timeoutMs);
  }

  get(id: FleetId): KnownFleet | undefined {
    return this.#fleets.get(id);
  }

  /** In the order of their start. */
  list(): readonly KnownFleet[] {
    return [...this.#fleets.values()];
  }

  #fleetEvent({ event, revision }: Fact<FleetEvent>): void {
    const id = event.data.fleet;
    const entry: Entry = this.#fleets.get(id) ?? { id, fleet: decider.initial(), scopes: new Map() };
    this.#fleets.set(id, entry);
    entry.fleet = decider.evolve(entry.fleet, event, revision);
    this.#version++;
    const change = (how: (progress: ScopeProgress) => ScopeProgress): void => {
      for (const [key, progress] of entry.scopes) entry.scopes.set(key, how(progress));
    };
    switch (event.type) {
      case 'FleetScopesAssigned':
        for (const scope of event.data.scopes) entry.scopes.set(scopeKey(scope), { state: 'waiting' });
        break;
      case 'FleetScopesLeftOut':
        for (const scope of event.data.scopes) entry.scopes.set(scopeKey(scope), leftOut(entry.scopes.get(scopeKey(scope)), scope.reason));
        break;
      case 'FleetResumed':
        change((progress) => (progress.state === 'paused' || progress.state === 'failed' ? resumed(progress) : progress));
        break;
      case 'FleetWaveAccepted':
        change((progress) => (progress.state === 'paused' ? resumed(progress) : progress));
        break;
      case 'FleetRolledBack':
        change((progress) => (progress.generation === undefined || isSettled(progress) ? progress : { ...progress, goesBack: true }));
        break;
      case 'FleetRetired':
        change((progress) => (progress.state === 'moved' ? { ...progress, retires: true } : progress));
        break;
      case 'FleetScopesRetired':
        for (const scope of event.data.scopes) entry.scopes.set(scopeKey(scope), retired(entry.scopes.get(scopeKey(scope))));
        break;
      default:
    }
  }

  #scopeEvent({ event, metadata }: Fact<ScopeEvent>): void {
    const { tenant, actor, correlationId } = metadata;
    const key = scopeKey({ tenant, scope: event.data.scope });
    if (event.type === 'GenerationStarted') {
      const entry = actor === FLEET_ACTOR && correlationId.startsWith(PREFIX) ? this.#fleets.get(idIn(correlationId)) : undefined;
      const before = entry?.scopes.get(key);
      if (!entry || !before) return;
      // A swap that started while its fleet was rolled back goes back, too.
      entry.scopes.set(key, started(event.data.generation, entry.fleet.stage === 'rolled-back'));
      this.#moved.set(key, new Map([...(this.#moved.get(key) ?? []), [event.data.generation, entry]]));
      this.#version++;
      return;
    }
    for (const [generation, { scopes }] of this.#moved.get(key) ?? []) {
      const before = scopes.get(key);
      const after = before && afterEvent(before, generation, event, metadata);
      if (after === undefined || after === before) continue;
      scopes.set(key, after);
      this.#version++;
    }
  }
}

const idIn = (correlationId: string): FleetId => fleetId(correlationId.slice(PREFIX.length));

const resumed = ({ state: _, reason: __, ...progress }: ScopeProgress): ScopeProgress => ({ ...progress, state: 'building', resume: true });

const leftOut = (before: ScopeProgress | undefined, reason: string): ScopeProgress => ({
  state: 'left-out',
  reason,
  ...(before?.generation === undefined ? {} : { generation: before.generation }),
});

/** Its administrator may have activated another generation since. */
const retired = (before: ScopeProgress = { state: 'waiting' }): ScopeProgress => {
  const { retires, ...progress } = before;
  return retires ? { ...progress, state: 'retired' } : progress;
};

/** Whether a rollback of the fleet changes nothing for the scope. */
const isSettled = ({ state }: ScopeProgress): boolean =>
  state === 'cancelled' || state === 'rolled-back' || state === 'replaced' || state === 'left-out';
