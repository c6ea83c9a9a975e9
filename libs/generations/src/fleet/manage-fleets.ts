import type { Journal } from '@palimpsest/contracts';
import type { FleetList, FleetView } from '@palimpsest/contracts/http';
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
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import {
  fleet as decider,
  fleetStream,
  isOver,
  type FleetCommand,
  type FleetId,
  type PlannedFleet,
  type PlannedFleetStart,
} from '@palimpsest/knowledge/fleet';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, type Position, type TenantId } from '@palimpsest/knowledge/values';
import { registered } from '../start-swap.ts';
import { wantedModel } from '../wanted-recipe.ts';
import type { AdvanceFleet } from './advance-fleet.ts';
import { askedFleet, refuseOthers, type NewFleet } from './asked-fleet.ts';
import { fleetPlanView, newFleetId, roleFor, visiblePlan } from './fleet-plan-view.ts';
import type { FleetProgress, KnownFleet } from './fleet-progress.ts';
import { fleetStatus, maySee } from './fleet-status.ts';

type StartInput = NewFleet & Readonly<{ plan?: FleetId }>;
type Named = Readonly<{ id: FleetId }>;
export type FleetChanged = FleetView & Readonly<{ position: Position }>;

export class StartFleet extends command<StartInput, FleetChanged>(startFleet, {
  // A plan says itself who may start it.
  role: ({ allTenants, plan }) => (plan !== undefined ? undefined : roleFor(allTenants)),
}) {}
export class PauseFleet extends command<Named & Readonly<{ reason?: string }>, FleetChanged>(pauseFleet) {}
export class ResumeFleet extends command<Named, FleetChanged>(resumeFleet) {}
export class ContinueFleet extends command<Named, FleetChanged>(continueFleet) {}
export class CancelFleet extends command<Named, FleetChanged>(cancelFleet) {}
export class RollBackFleet extends command<Named, FleetChanged>(rollBackFleet) {}
export class RetireFleet extends command<Named, FleetChanged>(retireFleet) {}
export class GetFleet extends query<Named, FleetView>(getFleet, NO_ROWS) {}
export class ListFleets extends query<void, FleetList>(listFleets, NO_ROWS) {}

export type ManageFleetsPorts = Readonly<{
  journal: Journal;
  catalog: Pick<CatalogReader, 'scopes' | 'chunkCount'>;
  providers: EmbeddingProviders;
  progress: FleetProgress;
  advance: Pick<AdvanceFleet, 'assign'>;
  system: Pick<System, 'ids' | 'scheduler'>;
  now: () => string;
  /** Whether swaps need an approved plan: then a fleet needs one, and its swaps none. */
  requirePlan?: boolean;
}>;

const MAX_PLANS = 20;

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

  /** @throws InvalidValue; NotFound for a canary scope or a plan; Conflict while another fleet of the same scopes is not finished, or if swaps need a plan */
  async #start({ access, correlationId, input }: Message<StartInput, FleetChanged>): Promise<FleetChanged> {
    const { journal, progress, advance, now, requirePlan } = this.#ports;
    const { ids, scheduler } = this.#ports.system;
    const known = input.plan === undefined ? undefined : await this.#planned(access, input.plan, input);
    const id = known?.fleet ?? newFleetId(ids);
    const plan = known?.plan ?? (await askedFleet(this.#ports, access, id, input));
    const { tenant } = plan;
    await this.#refuseSecond(tenant);
    const command = {
      type: 'StartFleet' as const,
      ...{ fleet: id, plan, now: now() },
      ...(known ? { planned: await this.#nowOf(known) } : {}),
      ...(requirePlan ? { approval: 'required' as const } : {}),
    };
    const metadata = { tenant: tenant ?? DEFAULT_TENANT, actor: access.actor, correlationId };
    const { position } = await journal.execute(decider, fleetStream(id), command, metadata);
    await progress.reached(position);
    // The worker does it as well, in the time that it takes.
    await inTime(advance.assign(id, new AbortController().signal), ASSIGN_MS, undefined, scheduler);
    return { ...this.#shown(access, await this.#find(access, id)), position };
  }

  /** @throws NotFound, also for a plan that the caller may not see; Conflict if the input says something else; InvalidValue if its model is missing */
  async #planned(access: Access, id: FleetId, input: NewFleet): Promise<PlannedFleet> {
    const { planned } = visiblePlan(access, id, await this.#known(id)).fleet;
    refuseOthers(planned, access, input);
    wantedModel(this.#ports.providers, planned.plan.embeddingVersion);
    return planned;
  }

  async #nowOf({ plan: { tenant, embeddingVersion } }: PlannedFleet): Promise<PlannedFleetStart> {
    const { providers, catalog } = this.#ports;
    const terms = registered(providers, embeddingVersion);
    return { ...terms, embedding: providers.recipeOf(embeddingVersion).embedding, chunksOfAll: await catalog.chunkCount(tenant) };
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

  async #list(access: Access): Promise<FleetList> {
    await this.#caughtUp();
    const visible = this.#ports.progress.list().filter((known) => maySee(access, known));
    const fleets = visible.filter(({ fleet }) => fleet.started);
    const plans = visible.flatMap(({ fleet: { started, planned } }) => (started || !planned ? [] : { planned }));
    return {
      fleets: fleets.toReversed().map((known) => this.#shown(access, known)),
      plans: plans.slice(-MAX_PLANS).toReversed().map(fleetPlanView),
    };
  }

  /** @throws NotFound, also for a fleet that exists and that the caller may not see */
  async #find(access: Access, id: FleetId): Promise<KnownFleet> {
    const known = await this.#known(id);
    if (!known || !maySee(access, known)) throw new NotFound('fleet', id);
    return known;
  }

  async #known(id: FleetId): Promise<KnownFleet | undefined> {
    await this.#caughtUp();
    return this.#ports.progress.get(id);
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
