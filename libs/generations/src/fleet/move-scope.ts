import type { Journal } from '@palimpsest/contracts';
import {
  activeGeneration,
  comingGeneration,
  scope as decider,
  scopeStream,
  type Scope,
  type ScopeCommand,
} from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import type { FleetId, FleetPlan, LeftOutReason } from '@palimpsest/knowledge/fleet';
import { ScopeKeyDestroyed, type EmbeddingProviders, type ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import { chunkListOf, type GenerationId, type Position, type Recipe, type TenantScope } from '@palimpsest/knowledge/values';
import { asThePlatform } from '../evaluation/as-the-platform.ts';
import { startSwap } from '../start-swap.ts';
import { wantedRecipe } from '../wanted-recipe.ts';
import { correlationOf } from './fleet-progress.ts';
import { FLEET_ACTOR } from './scope-progress.ts';

export type MoveScopePorts = Readonly<{
  journal: Journal;
  catalog: Pick<CatalogReader, 'countsIn'>;
  keys: Pick<ScopeKeys, 'cipher'>;
  providers: EmbeddingProviders;
  now: () => string;
}>;

type Action<C = ScopeCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;
/** What the scopes of a fleet are moved to. */
export type FleetTarget = Pick<FleetPlan, 'embeddingVersion' | 'chunking'>;
/** `position`: of the last event of the scope. `refused`: why the fleet cannot do it. `acted`: whether this call did it. */
export type Moved = Readonly<{ position: Position; refused?: LeftOutReason; acted?: boolean }>;

/** What a fleet does with a scope. Each action is decided on the stream of the scope and has the same effect however often it is repeated. */
export class MoveScope {
  readonly #ports: MoveScopePorts;

  constructor(ports: MoveScopePorts) {
    this.#ports = ports;
  }

  /** A scope without chunks has nothing to evaluate: it is cut over once it is built. @throws InvalidValue if the model is missing */
  async start(fleet: FleetId, scope: TenantScope, wanted: FleetTarget): Promise<Moved> {
    const { journal, catalog } = this.#ports;
    const { state, position } = await journal.load(decider, scopeStream(scope));
    const refused = (reason: LeftOutReason): Moved => ({ position, refused: reason });
    if (!state.opened) return refused('not-found');
    if (await this.isErased(scope)) return refused('erased');
    if (comingGeneration(state)) return refused('own-swap');
    const active = activeGeneration(state)?.recipe;
    if (active && isSameRecipe(active, wantedRecipe(this.#ports.providers, active, wanted))) return refused('has-model');
    const { chunks } = await catalog.countsIn([asThePlatform(scope, FLEET_ACTOR)]);
    const target = { ...wanted, chunks, cutover: chunks === 0 ? ('automatic' as const) : ('gate' as const) };
    try {
      const executed = await startSwap(this.#ports, scope, { actor: FLEET_ACTOR, correlationId: correlationOf(fleet) }, target);
      return executed.events.length > 0 ? { position: executed.position } : { position: executed.position, refused: 'own-swap' };
    } catch (error) {
      if (error instanceof NotFound) return refused('not-found');
      if (error instanceof Conflict) return refused('own-swap');
      throw error;
    }
  }

  /** Whether its key was destroyed. */
  async isErased(scope: TenantScope): Promise<boolean> {
    try {
      await this.#ports.keys.cipher(scope);
      return false;
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return true;
      throw error;
    }
  }

  pause(fleet: FleetId, scope: TenantScope, generation: GenerationId): Promise<Moved> {
    const action = { type: 'Pause', generation, reason: `fleet ${fleet} is paused`, by: 'platform' } as const;
    return this.#act(fleet, scope, action, (state) => comingGeneration(state)?.id === generation);
  }

  resume(fleet: FleetId, scope: TenantScope, generation: GenerationId): Promise<Moved> {
    return this.#act(fleet, scope, { type: 'Resume' }, (state) => comingGeneration(state)?.id === generation);
  }

  cutOver(fleet: FleetId, scope: TenantScope, generation: GenerationId): Promise<Moved> {
    return this.#act(fleet, scope, { type: 'CutOver' }, (state) => comingGeneration(state)?.id === generation);
  }

  cancel(fleet: FleetId, scope: TenantScope, generation: GenerationId): Promise<Moved> {
    return this.#act(fleet, scope, { type: 'Cancel' }, (state) => comingGeneration(state)?.id === generation);
  }

  async rollBack(fleet: FleetId, scope: TenantScope, generation: GenerationId): Promise<Moved> {
    const moved = await this.#act(fleet, scope, { type: 'RollBack' }, (state) => activeGeneration(state)?.id === generation);
    return moved.refused === undefined ? moved : { ...moved, refused: 'cannot-roll-back' };
  }

  /** The generations in standby that are older than that of the fleet. Undefined unless searches use that one, and no other swap is running. */
  async older({ tenant, scope }: TenantScope, generation: GenerationId): Promise<Moved & Readonly<{ older?: readonly GenerationId[] }>> {
    const { state, position } = await this.#ports.journal.load(decider, scopeStream({ tenant, scope }));
    const at = state.generations.findIndex(({ id, status }) => id === generation && status === 'active');
    if (at < 0) return { position };
    if (comingGeneration(state)) return { position, refused: 'cannot-retire' };
    const standby = state.generations.slice(0, at).filter(({ status }) => status === 'standby');
    return { position, older: standby.map(({ id }) => id) };
  }

  async retire(fleet: FleetId, scope: TenantScope, generation: GenerationId, older: GenerationId): Promise<Moved> {
    const unchanged = (state: Scope): boolean => activeGeneration(state)?.id === generation && !comingGeneration(state);
    return this.#act(fleet, scope, { type: 'Retire', generation: older }, unchanged);
  }

  /** Only while the generation is in the place that the fleet expects: an administrator may have been faster. */
  async #act(fleet: FleetId, scope: TenantScope, action: Action, applies: (state: Scope) => boolean): Promise<Moved> {
    const guarded: typeof decider = { ...decider, decide: (command, state) => (applies(state) ? decider.decide(command, state) : []) };
    const metadata = { ...scope, actor: FLEET_ACTOR, correlationId: correlationOf(fleet) };
    const { journal, now } = this.#ports;
    const known = await journal.load(decider, scopeStream(scope));
    try {
      const command = { ...action, scope: scope.scope, now: now() };
      const { position, events } = await journal.execute(guarded, scopeStream(scope), command, metadata, known);
      return { position, acted: events.length > 0 };
    } catch (error) {
      if (error instanceof Conflict) return { position: known.position, refused: 'own-swap' };
      throw error;
    }
  }
}

const isSameRecipe = (a: Recipe, b: Recipe): boolean =>
  a.embedding.version === b.embedding.version && chunkListOf(a.chunking) === chunkListOf(b.chunking);
