import type { Journal } from '@palimpsest/contracts';
import type { FleetView } from '@palimpsest/contracts/http';
import {
  cancelFleet,
  continueFleet,
  getFleet,
  listFleets,
  pauseFleet,
  resumeFleet,
  retireFleet,
  rollBackFleet,
  startFleet,
} from '@palimpsest/contracts/routes/fleets';
import { inTime, type System } from '@palimpsest/foundation';
import { permittedScope, type Access } from '@palimpsest/knowledge/access';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import {
  fleet as decider,
  fleetId,
  fleetStream,
  isOver,
  type FleetCommand,
  type FleetId,
  type FleetPlan,
  type FleetRule,
} from '@palimpsest/knowledge/fleet';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, scopeKey, type Position, type TenantId, type TenantScope, type VectorScope } from '@palimpsest/knowledge/values';
import { wantedModel } from '../wanted-recipe.ts';
import type { AdvanceFleet } from './advance-fleet.ts';
import type { FleetProgress, KnownFleet } from './fleet-progress.ts';
import { fleetStatus, maySee } from './fleet-status.ts';

/** A missing field has the default of the route. */
export type NewFleet = Readonly<{
  embeddingVersion?: string;
  allTenants?: boolean;
  canary?: readonly Readonly<{ tenant?: TenantId; scope: VectorScope }>[];
  percents?: readonly number[];
  scopesAtOnce?: number;
  seed?: number;
}> &
  Partial<FleetRule>;
type Named = Readonly<{ id: FleetId }>;
export type FleetChanged = FleetView & Readonly<{ position: Position }>;

export class StartFleet extends command<NewFleet, FleetChanged>(startFleet, {
  role: ({ allTenants }) => (allTenants === true ? 'operator' : 'admin'),
}) {}
export class PauseFleet extends command<Named & Readonly<{ reason?: string }>, FleetChanged>(pauseFleet) {}
export class ResumeFleet extends command<Named, FleetChanged>(resumeFleet) {}
export class ContinueFleet extends command<Named, FleetChanged>(continueFleet) {}
export class CancelFleet extends command<Named, FleetChanged>(cancelFleet) {}
export class RollBackFleet extends command<Named, FleetChanged>(rollBackFleet) {}
export class RetireFleet extends command<Named, FleetChanged>(retireFleet) {}
export class GetFleet extends query<Named, FleetView>(getFleet, NO_ROWS) {}
export class ListFleets extends query<void, readonly FleetView[]>(listFleets, NO_ROWS) {}

export type ManageFleetsPorts = Readonly<{
  journal: Journal;
  catalog: Pick<CatalogReader, 'scopes'>;
  providers: EmbeddingProviders;
  progress: FleetProgress;
  advance: Pick<AdvanceFleet, 'assign'>;
  system: Pick<System, 'ids' | 'scheduler'>;
  now: () => string;
  /** Whether swaps need an approved plan. A fleet has none. */
  requirePlan?: boolean;
}>;

const DEFAULT_PERCENTS = [1, 10, 100];
const DEFAULT_SCOPES_AT_ONCE = 4;
const ID_LENGTH = 12;

type Action<C = FleetCommand> = C extends unknown ? Omit<C, 'fleet' | 'now'> : never;

/** Starts, shows and controls fleets. What happens to each scope follows from the log (`AdvanceFleet`). */
export class ManageFleets implements UseCase {
  readonly handlers = [
    on(StartFleet, (message) => this.#start(message)),
    on(PauseFleet, (message) =>
      this.#act(message, { type: 'PauseFleet', by: 'person', reason: message.input.reason ?? 'paused by a person' }),
    ),
    on(ResumeFleet, (message) => this.#act(message, { type: 'ResumeFleet' })),
    on(ContinueFleet, (message) => this.#act(message, { type: 'ContinueFleet' })),
    on(CancelFleet, (message) => this.#act(message, { type: 'CancelFleet' })),
    on(RollBackFleet, (message) => this.#act(message, { type: 'RollBackFleet' })),
    on(RetireFleet, (message) => this.#act(message, { type: 'RetireFleet' })),
    on(GetFleet, async ({ access, input: { id } }) => this.#shown(access, await this.#find(access, id))),
    on(ListFleets, ({ access }) => this.#list(access)),
  ];
  readonly #ports: ManageFleetsPorts;

  constructor(ports: ManageFleetsPorts) {
    this.#ports = ports;
  }

  /** @throws InvalidValue; NotFound for a canary scope; Conflict while another fleet of the same scopes is not finished, or if swaps need a plan */
  async #start({ access, correlationId, input }: Message<NewFleet, FleetChanged>): Promise<FleetChanged> {
    const { journal, providers, progress, advance, now } = this.#ports;
    const { ids, scheduler } = this.#ports.system;
    if (this.#ports.requirePlan === true)
      throw new Conflict('swaps of this installation need an approved plan for each scope: start them one by one');
    const tenant = input.allTenants === true ? undefined : access.tenant;
    const embeddingVersion = wantedModel(providers, input.embeddingVersion);
    const canary = await this.#canary(access, input);
    await this.#refuseSecond(tenant);
    const id = fleetId(ids.next().replaceAll('-', '').slice(-ID_LENGTH));
    const plan: FleetPlan = {
      ...(tenant === undefined ? {} : { tenant }),
      embeddingVersion,
      canary,
      percents: input.percents ?? DEFAULT_PERCENTS,
      rule: {
        worsePercent: input.worsePercent ?? 0,
        faults: input.faults ?? 0,
        undecided: input.undecided ?? 'wait',
        advance: input.advance ?? 'manual',
      },
      scopesAtOnce: input.scopesAtOnce ?? DEFAULT_SCOPES_AT_ONCE,
      seed: input.seed ?? Number.parseInt(id.slice(0, 8), 16),
    };
    const metadata = { tenant: tenant ?? DEFAULT_TENANT, actor: access.actor, correlationId };
    const { position } = await journal.execute(decider, fleetStream(id), { type: 'StartFleet', fleet: id, plan, now: now() }, metadata);
    await progress.reached(position);
    // The worker does it as well, in the time that it takes.
    await inTime(advance.assign(id, new AbortController().signal), ASSIGN_MS, undefined, scheduler);
    return { ...this.#shown(access, await this.#find(access, id)), position };
  }

  /** Scopes of other tenants may be named by an operator, who learns whether they exist, but nothing else. @throws NotFound, InvalidValue */
  async #canary(access: Access, { canary = [], allTenants }: NewFleet): Promise<readonly TenantScope[]> {
    const named = canary.map(({ tenant = access.tenant, scope }) => ({ tenant, scope }));
    if (named.length === 0) return [];
    if (allTenants !== true)
      for (const { tenant, scope } of named) {
        if (tenant !== access.tenant)
          throw new InvalidValue('canary', 'scopes of the own tenant; an operator names others with allTenants', tenant);
        permittedScope(access, scope);
      }
    const all = await this.#ports.catalog.scopes(allTenants === true ? undefined : access.tenant);
    const existing = new Set(all.map(({ scope }) => scopeKey(scope)));
    for (const scope of named) if (!existing.has(scopeKey(scope))) throw new NotFound('scope', scope.scope);
    return [...new Map(named.map((scope) => [scopeKey(scope), scope])).values()];
  }

  /** @throws Conflict */
  async #refuseSecond(tenant: TenantId | undefined): Promise<void> {
    await this.#caughtUp();
    const other = this.#ports.progress.list().find(({ fleet }) => fleet.started && fleet.started.tenant === tenant && !isOver(fleet));
    if (other)
      throw new Conflict(`fleet ${other.id} of the same scopes is not finished (${other.fleet.stage}): continue or cancel it first`);
  }

  async #act({ access, correlationId, input: { id } }: Message<Named, FleetChanged>, action: Action): Promise<FleetChanged> {
    const { journal, progress, now } = this.#ports;
    const { fleet } = await this.#find(access, id);
    const metadata = { tenant: fleet.started?.tenant ?? DEFAULT_TENANT, actor: access.actor, correlationId };
    const { position } = await journal.execute(decider, fleetStream(id), { ...action, fleet: id, now: now() }, metadata);
    await progress.reached(position);
    return { ...this.#shown(access, await this.#find(access, id)), position };
  }

  async #list(access: Access): Promise<readonly FleetView[]> {
    await this.#caughtUp();
    const visible = this.#ports.progress.list().filter((known) => known.fleet.started && maySee(access, known));
    return visible.toReversed().map((known) => this.#shown(access, known));
  }

  /** @throws NotFound, also for a fleet that exists and that the caller may not see */
  async #find(access: Access, id: FleetId): Promise<KnownFleet> {
    await this.#caughtUp();
    const known = this.#ports.progress.get(id);
    if (!known || !maySee(access, known)) throw new NotFound('fleet', id);
    return known;
  }

  #shown(access: Access, known: KnownFleet): FleetView {
    const { started } = known.fleet;
    if (!started) throw new NotFound('fleet', known.id);
    return fleetStatus(access, known, started);
  }

  /** Another process may have started a fleet a moment ago. */
  async #caughtUp(): Promise<void> {
    const { journal, progress } = this.#ports;
    await progress.reached(await journal.log.head(), CATCH_UP_MS);
  }
}

const CATCH_UP_MS = 2_000;
const ASSIGN_MS = 10_000;
