import type { Journal, Loaded } from '@palimpsest/contracts';
import {
  cancelSwap,
  cutOverSwap,
  getSwap,
  listSwaps,
  pauseSwap,
  resumeSwap,
  retireSwap,
  rollBackSwap,
  startSwap as startRoute,
} from '@palimpsest/contracts/routes/swap';
import { inTime, type Scheduler } from '@palimpsest/foundation';
import { authorise, permittedScope } from '@palimpsest/knowledge/access';
import {
  activeGeneration,
  comingGeneration,
  companionOf,
  liveGenerations,
  scope as decider,
  scopeStream,
} from '@palimpsest/knowledge/deciders';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { Scope, ScopeCommand } from '@palimpsest/knowledge/deciders';
import type { IndexBytes, PlanId } from '@palimpsest/knowledge/plans';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { GenerationId, Position, VectorScope } from '@palimpsest/knowledge/values';
import { measuringFreed, type MeasuredIndexes } from './freed-bytes.ts';
import { whyChanged, type ComparedModels } from './same-model.ts';
import { startSwap, type SwapTarget } from './start-swap.ts';
import { statusOf, type SwapStatus, type SwapStatusPorts } from './swap-status.ts';

export type SwapScopePorts = Readonly<{
  journal: Journal;
  catalog: Pick<CatalogReader, 'countsIn' | 'scopes' | 'notRechunked'>;
  providers: EmbeddingProviders & ComparedModels;
  scheduler: Scheduler;
  now: () => string;
  /** Whether swaps need an approved plan. */
  requirePlan?: boolean;
  /** The indexes of this process, to measure what a generation uses. */
  indexes: MeasuredIndexes;
}> &
  Pick<SwapStatusPorts, 'slowed' | 'evaluationRuns'>;
/** The state after a command, and the position of its event. `freed`: what a retired generation no longer uses, if that can be measured. */
export type SwapChanged = SwapStatus & Readonly<{ position: Position; freed?: IndexBytes }>;

/** How long a cut-over waits for the model. */
const MODEL_MS = 5_000;
/** How long a command waits for the read models of this process. The event is on the log in any case. */
const READ_MODELS_MS = 10_000;

type Known = Loaded<Scope>;
type Named = Readonly<{ scope: VectorScope }>;
const named = { scopes: ({ scope }: Named) => [scope] };
const rowsOf = ({ notRechunked }: SwapStatus) => notRechunked?.items ?? [];

export class StartSwap extends command<Named & SwapTarget & Readonly<{ plan?: PlanId }>, SwapChanged>(startRoute, named) {}
export class PauseSwap extends command<Named & Readonly<{ reason?: string }>, SwapChanged>(pauseSwap, named) {}
export class ResumeSwap extends command<Named, SwapChanged>(resumeSwap, named) {}
export class CutOverSwap extends command<Named & Readonly<{ force?: boolean; reason?: string }>, SwapChanged>(cutOverSwap, named) {}
export class RollBackSwap extends command<Named, SwapChanged>(rollBackSwap, named) {}
export class CancelSwap extends command<Named, SwapChanged>(cancelSwap, named) {}
export class RetireSwap extends command<Named & Readonly<{ generation?: GenerationId }>, SwapChanged>(retireSwap, named) {}
export class GetSwap extends query<Named, SwapStatus>(getSwap, { ...named, shows: rowsOf }) {}
export class ListSwaps extends query<Readonly<Record<never, never>>, readonly SwapStatus[]>(listSwaps, {
  shows: (all) => all.flatMap(rowsOf),
}) {}

type Action<C = ScopeCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;

/** Moves a scope to another model step by step: start, pause, cut over, roll back, retire. Each step is one event. */
export class SwapScope implements UseCase {
  readonly handlers = [
    on(StartSwap, ({ access, input: { scope, ...target }, correlationId }) => this.#start(access, scope, correlationId, target)),
    on(PauseSwap, ({ access, input: { scope, reason = 'paused by an administrator' }, correlationId }) =>
      this.#act(access, scope, correlationId, { type: 'Pause', reason, by: 'person' }),
    ),
    on(ResumeSwap, ({ access, input: { scope }, correlationId }) => this.#act(access, scope, correlationId, { type: 'Resume' })),
    on(CutOverSwap, async ({ access, input: { scope, ...forced }, correlationId }) => {
      const known = await this.#opened(permittedScope(access, scope));
      await this.#sameModel(known.state);
      return this.#exchange(access, scope, correlationId, { type: 'CutOver', ...reasonOf(forced) }, known);
    }),
    on(RollBackSwap, ({ access, input: { scope }, correlationId }) => this.#exchange(access, scope, correlationId, { type: 'RollBack' })),
    on(CancelSwap, ({ access, input: { scope }, correlationId }) => this.#act(access, scope, correlationId, { type: 'Cancel' })),
    on(RetireSwap, ({ access, input: { scope, generation }, correlationId }) => this.#retire(access, scope, correlationId, generation)),
    on(GetSwap, ({ access, input: { scope } }) => this.statusOf(permittedScope(access, scope))),
    on(ListSwaps, ({ access }) => this.#list(access)),
  ];
  readonly #ports: SwapScopePorts;

  constructor(ports: SwapScopePorts) {
    this.#ports = ports;
  }

  async #start(
    access: Access,
    name: VectorScope,
    correlationId: string,
    asked: SwapTarget & Readonly<{ plan?: PlanId }>,
  ): Promise<SwapChanged> {
    const scope = permittedScope(access, name);
    const { chunks } = await this.#ports.catalog.countsIn([scope]);
    const { state, position } = await startSwap(this.#ports, scope, { actor: access.actor, correlationId }, { ...asked, chunks });
    return { ...(await this.#of(scope, state)), position };
  }

  /** `loaded`: the state of the scope, if the caller has read it already. A change since then only makes the command load it again. */
  async #act(access: Access, name: VectorScope, correlationId: string, action: Action, loaded?: Known): Promise<SwapChanged> {
    const { journal, now } = this.#ports;
    const scope = permittedScope(access, name);
    const known = loaded ?? (await this.#opened(scope));
    const metadata = { ...scope, actor: access.actor, correlationId };
    const { state, position } = await journal.execute(decider, scopeStream(scope), { ...action, scope: name, now: now() }, metadata, known);
    return { ...(await this.#of(scope, state)), position };
  }

  /**
   * Changes which generation answers searches. The read models of this process have followed when it returns, so that a search sent
   * afterwards is answered by the new generation. Other processes follow on their own; a search with `atLeast` waits for them.
   */
  async #exchange(access: Access, name: VectorScope, correlationId: string, action: Action, loaded?: Known): Promise<SwapChanged> {
    const changed = await this.#act(access, name, correlationId, action, loaded);
    await this.#ports.indexes.readModels.reached(changed.position, READ_MODELS_MS);
    return changed;
  }

  /**
   * Searches would be answered by words only after a cut-over to a model that changed under its name. An endpoint that is slow or away
   * says nothing about its model. @throws Conflict
   */
  async #sameModel(state: Scope): Promise<void> {
    const { providers, scheduler } = this.#ports;
    const coming = comingGeneration(state);
    const changed = coming && (await inTime(whyChanged(providers, coming), MODEL_MS, undefined, scheduler));
    if (changed !== undefined) throw new Conflict(changed);
  }

  /** Without a generation, the only one in standby, or else the companion. @throws Conflict, InvalidValue, NotFound */
  async #retire(access: Access, name: VectorScope, correlationId: string, asked?: GenerationId): Promise<SwapChanged> {
    const { state } = await this.#opened(permittedScope(access, name));
    const standby = state.generations.filter(({ status }) => status === 'standby').map(({ id }) => id);
    const [only, ...others] = standby;
    if (asked === undefined && others.length > 0) throw new InvalidValue('generation', `one of ${standby.join(', ')}`, asked);
    const generation = asked ?? only ?? companionOf(state)?.id;
    if (generation === undefined) throw new Conflict(`scope "${name}" has no generation in standby and no companion that could be retired`);
    const partition = { scope: permittedScope(access, name), generation };
    return measuringFreed(this.#ports.indexes, partition, () => this.#act(access, name, correlationId, { type: 'Retire', generation }));
  }

  /** @throws NotFound */
  async #opened(scope: PermittedScope): Promise<Known> {
    const known = await this.#ports.journal.load(decider, scopeStream(scope));
    if (!known.state.opened) throw new NotFound('scope', scope.scope);
    return known;
  }

  /** The state and the progress of a swap. @throws NotFound */
  async statusOf(scope: PermittedScope): Promise<SwapStatus> {
    const { state } = await this.#ports.journal.load(decider, scopeStream(scope));
    if (!state.opened || !activeGeneration(state)) throw new NotFound('scope', scope.scope);
    return this.#of(scope, state);
  }

  async #of(scope: PermittedScope, state: Scope): Promise<SwapStatus> {
    return statusOf(this.#ports, scope, state);
  }

  /** The scopes that the caller may read and that have more than one live generation. */
  async #list(access: Access): Promise<readonly SwapStatus[]> {
    const swapping = (await this.#ports.catalog.scopes(access.tenant)).filter(
      (view) => liveGenerations({ ...view, opened: true }).length > 1,
    );
    const permitted = authorise(
      access,
      swapping.map(({ scope }) => scope.scope),
    );
    return Promise.all(permitted.map((scope) => this.statusOf(scope)));
  }
}

/** @throws InvalidValue if a step is forced without a reason */
export const reasonOf = ({ force, reason }: Readonly<{ force?: boolean; reason?: string }>): Readonly<{ forced?: string }> => {
  if (force !== true) return {};
  if (reason === undefined || reason.trim() === '') throw new InvalidValue('reason', 'why the step is forced', reason);
  return { forced: reason };
};
