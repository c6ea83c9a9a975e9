import { untilReached, type Journal } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import {
  fleet as decider,
  fleetStream,
  type AssignedScope,
  type FleetCommand,
  type FleetId,
  type FleetStarted,
  type LeftOutReason,
  type LeftOutScope,
} from '@palimpsest/knowledge/fleet';
import type { CatalogReader, ReadModels } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, scopeKey, type GenerationId, type TenantScope } from '@palimpsest/knowledge/values';
import type { FleetProgress, KnownFleet } from './fleet-progress.ts';
import type { FleetTarget, Moved, MoveScope } from './move-scope.ts';
import { nextScopes, withProgress } from './next-scopes.ts';
import { assignWaves, lastWave } from './order-scopes.ts';
import type { RetireScopes } from './retire-scopes.ts';
import { FLEET_ACTOR, isBeforeCutOver, isRunning, type ScopeProgress } from './scope-progress.ts';
import { waveCounts } from './wave-counts.ts';

export type AdvanceFleetPorts = Readonly<{
  journal: Journal;
  catalog: Pick<CatalogReader, 'scopes'>;
  readModels: ReadModels;
  progress: FleetProgress;
  scopes: MoveScope;
  retirement: Pick<RetireScopes, 'some'>;
  now: () => string;
}>;

/** Scopes in one event. */
const PART = 1_000;
/** Scopes that one step looks at, so that a pause is noticed soon. */
const STEP = 100;

type Act = (fleet: FleetId, scope: TenantScope, generation: GenerationId) => Promise<Moved>;
type FleetAction<C = FleetCommand> = C extends unknown ? Omit<C, 'fleet' | 'now'> : never;

/**
 * Does the next step of a fleet. What is done follows only from the log, and each action has the same effect however often it is repeated: so any
 * process can do it at any time, also after one that was killed in the middle.
 */
export class AdvanceFleet {
  readonly #ports: AdvanceFleetPorts;

  constructor(ports: AdvanceFleetPorts) {
    this.#ports = ports;
  }

  /** @throws errors of the log and of the read models; a repeated step continues */
  async step(id: FleetId, signal: AbortSignal): Promise<void> {
    const known = this.#ports.progress.get(id);
    const started = known?.fleet.started;
    if (!known || !started) return;
    switch (known.fleet.stage) {
      case 'assigning':
        return this.assign(id, signal);
      case 'running':
        return this.#run(known, started, signal);
      case 'paused':
        return this.#each(known, isRunning, (...scope) => this.#ports.scopes.pause(...scope), signal);
      case 'cancelled':
        await this.#each(known, isBeforeCutOver, (...scope) => this.#ports.scopes.cancel(...scope), signal);
        return this.#retire(known, signal);
      case 'complete':
        return this.#retire(known, signal);
      case 'rolled-back':
        await this.#each(known, isBeforeCutOver, (...scope) => this.#ports.scopes.cancel(...scope), signal);
        return this.#each(known, goesBackNow, (...scope) => this.#ports.scopes.rollBack(...scope), signal);
      default:
        return undefined;
    }
  }

  /** Gives every scope that has no wave one: at the start by its place in the order, later the last one. */
  async assign(id: FleetId, signal: AbortSignal): Promise<void> {
    const { catalog, progress } = this.#ports;
    await this.#caughtUp(signal);
    const known = progress.get(id);
    const started = known?.fleet.started;
    if (!known || !started || known.fleet.assigned) return;
    const all = (await catalog.scopes(started.tenant)).map(({ scope }) => scope);
    const last = lastWave(started);
    const waves = known.fleet.stage === 'assigning' ? assignWaves(all, started) : all.map((scope) => ({ ...scope, wave: last }));
    const fresh = waves.filter((scope) => !known.fleet.scopes.has(scopeKey(scope)));
    for (let from = 0; from === 0 || from < fresh.length; from += PART) {
      signal.throwIfAborted();
      await this.#record(id, { type: 'AssignScopes', scopes: fresh.slice(from, from + PART), complete: from + PART >= fresh.length });
    }
  }

  async #run(known: KnownFleet, started: FleetStarted['data'], signal: AbortSignal): Promise<void> {
    const { id, fleet } = known;
    const { scopes } = this.#ports;
    if (!fleet.assigned) return this.assign(id, signal);
    // Also one that an earlier step paused after the fleet was resumed.
    await this.#each(
      known,
      ({ state, resume }) => resume === true || state === 'paused',
      (...scope) => scopes.resume(...scope),
      signal,
    );
    await this.#leaveOutErased(known);
    if (started.rule.undecided === 'cut-over')
      await this.#each(
        known,
        ({ state }) => state === 'undecided',
        (...scope) => scopes.cutOver(...scope),
        signal,
      );
    await this.#record(id, { type: 'RecordWave', wave: fleet.wave, counts: waveCounts(known, fleet.wave) });
    const now = this.#ports.progress.get(id);
    if (now?.fleet.stage === 'running' && now.fleet.assigned) await this.#startMore(now, started, signal);
  }

  /** @throws as `step`. A missing model pauses the fleet. */
  async #startMore(
    known: KnownFleet,
    { embeddingVersion, chunking, scopesAtOnce }: FleetStarted['data'],
    signal: AbortSignal,
  ): Promise<void> {
    let free = scopesAtOnce - withProgress(known).filter(({ progress }) => isRunning(progress)).length;
    const next = free > 0 ? [...take(nextScopes(known), STEP)] : [];
    // Whether a scope has chunks comes from the read models.
    if (next.length > 0) await this.#caughtUp(signal);
    const leftOut: LeftOutScope[] = [];
    const target = { embeddingVersion, ...(chunking === undefined ? {} : { chunking }) };
    try {
      for (const scope of next) {
        signal.throwIfAborted();
        if (free <= 0) break;
        const refused = await this.#start(known.id, scope, target);
        if (refused === undefined) free--;
        else leftOut.push({ tenant: scope.tenant, scope: scope.scope, reason: refused });
      }
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      await this.#record(known.id, { type: 'PauseFleet', by: 'platform', reason: `the model ${embeddingVersion} is not available` });
    }
    if (leftOut.length > 0) await this.#record(known.id, { type: 'LeaveOut', scopes: leftOut });
  }

  async #start(id: FleetId, scope: AssignedScope, target: FleetTarget): Promise<LeftOutReason | undefined> {
    const { scopes, progress } = this.#ports;
    const { position, refused } = await scopes.start(id, nameOf(scope), target);
    await progress.reached(position);
    // Another process of this fleet may have been faster.
    return progress.get(id)?.scopes.get(scopeKey(scope))?.state === 'waiting' ? refused : undefined;
  }

  /** A swap of a scope whose key was destroyed fails, and stays that way. */
  async #leaveOutErased(known: KnownFleet): Promise<void> {
    const erased: LeftOutScope[] = [];
    for (const { scope, progress } of withProgress(known))
      if (progress.state === 'failed' && (await this.#ports.scopes.isErased(nameOf(scope))))
        erased.push({ tenant: scope.tenant, scope: scope.scope, reason: 'erased' });
    if (erased.length > 0) await this.#record(known.id, { type: 'LeaveOut', scopes: erased });
  }

  /** Acts on each scope in a state. One that can no longer be rolled back is left out. */
  async #each(known: KnownFleet, applies: (progress: ScopeProgress) => boolean, act: Act, signal: AbortSignal): Promise<void> {
    const { progress } = this.#ports;
    const stuck: LeftOutScope[] = [];
    for (const { scope, progress: before } of withProgress(known)) {
      if (before.generation === undefined || !applies(before)) continue;
      signal.throwIfAborted();
      const { position, refused } = await act(known.id, nameOf(scope), before.generation);
      await progress.reached(position);
      if (refused === 'cannot-roll-back') stuck.push({ tenant: scope.tenant, scope: scope.scope, reason: refused });
    }
    if (stuck.length > 0) await this.#record(known.id, { type: 'LeaveOut', scopes: stuck });
  }

  async #retire(known: KnownFleet, signal: AbortSignal): Promise<void> {
    const { retired, kept } = await this.#ports.retirement.some(known, signal);
    if (retired.length > 0) await this.#record(known.id, { type: 'RecordRetired', scopes: retired });
    if (kept.length > 0) await this.#record(known.id, { type: 'LeaveOut', scopes: kept });
  }

  async #record(id: FleetId, action: FleetAction): Promise<void> {
    const { journal, progress, now } = this.#ports;
    const known = progress.get(id);
    if (!known?.fleet.started) return;
    const command: FleetCommand = { ...action, fleet: id, now: now() };
    // The stream is read only if something follows from what is known.
    if (decider.decide(command, known.fleet).length === 0) return;
    const tenant = known.fleet.started.tenant ?? DEFAULT_TENANT;
    const metadata = { tenant, actor: FLEET_ACTOR, correlationId: `fleet:${id}` };
    const { position } = await journal.execute(decider, fleetStream(id), command, metadata);
    await progress.reached(position);
  }

  async #caughtUp(signal: AbortSignal): Promise<void> {
    await untilReached(this.#ports.readModels, await this.#ports.journal.log.head(), signal);
    signal.throwIfAborted();
  }
}

const goesBackNow = ({ state, goesBack }: ScopeProgress): boolean => state === 'moved' && goesBack === true;

const nameOf = ({ tenant, scope }: TenantScope): TenantScope => ({ tenant, scope });

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ >= count) return;
    yield item;
  }
}
