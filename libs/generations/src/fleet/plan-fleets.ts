import type { Journal } from '@palimpsest/contracts';
import type { FleetPlanView } from '@palimpsest/contracts/http';
import { approveFleetPlan, getFleetPlan, planFleet } from '@palimpsest/contracts/routes/fleets';
import type { System } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict } from '@palimpsest/knowledge/errors';
import { fleet as decider, fleetStream, type FleetCommand, type FleetId, type FleetPlan } from '@palimpsest/knowledge/fleet';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { PlanAuthor } from '@palimpsest/knowledge/plans';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { MeasuredScopes } from '../plan/measure-scopes.ts';
import { registered } from '../start-swap.ts';
import type { RecipeTarget } from '../wanted-recipe.ts';
import { askedFleet, type AskedFleetPorts, type NewFleet } from './asked-fleet.ts';
import { fleetPlanView, newFleetId, roleFor, visiblePlan } from './fleet-plan-view.ts';
import type { FleetProgress, KnownFleet } from './fleet-progress.ts';

/** `sample`: chunks to embed; default 64, for all tenants none, since their texts would be sent to a model that none of them uses yet. */
export type PlanInput = NewFleet & Readonly<{ sample?: number }>;
type Named = Readonly<{ id: FleetId }>;
export type FleetPlanChanged = FleetPlanView & Readonly<{ position: Position }>;

export class PlanFleet extends command<PlanInput, FleetPlanChanged>(planFleet, { role: ({ allTenants }) => roleFor(allTenants) }) {}
export class ApproveFleetPlan extends command<Named, FleetPlanChanged>(approveFleetPlan) {}
export class GetFleetPlan extends query<Named, FleetPlanView>(getFleetPlan, NO_ROWS) {}

export type PlanFleetsPorts = AskedFleetPorts &
  Readonly<{
    journal: Journal;
    catalog: Pick<CatalogReader, 'scopes' | 'chunkCount'>;
    progress: FleetProgress;
    measure: (
      scopes: readonly TenantScope[],
      options: Readonly<{ target: RecipeTarget; sample: number; seed: number }>,
    ) => Promise<MeasuredScopes>;
    system: Pick<System, 'ids'>;
    now: () => string;
  }>;

const SAMPLE = 64;
/** Tenants in a plan: an event has at most 1 MiB. */
const MAX_TENANTS = 1_000;
const CATCH_UP_MS = 2_000;

/** What a fleet would take, before anything starts; and the agreement of another person. Its id is that of the fleet that it may become. */
export class PlanFleets implements UseCase {
  readonly handlers = [
    on(PlanFleet, (message) => this.#plan(message)),
    on(ApproveFleetPlan, (message) => this.#approve(message)),
    on(GetFleetPlan, async ({ access, input: { id } }) => fleetPlanView(visiblePlan(access, id, await this.#known(id)).fleet)),
  ];
  readonly #ports: PlanFleetsPorts;
  #isRunning = false;

  constructor(ports: PlanFleetsPorts) {
    this.#ports = ports;
  }

  /** @throws InvalidValue, NotFound; Conflict while this process makes another plan of a fleet; errors of the model */
  async #plan({ access, correlationId, input }: Message<PlanInput, FleetPlanChanged>): Promise<FleetPlanChanged> {
    const { providers, system, now } = this.#ports;
    const fleet = newFleetId(system.ids);
    const plan = await askedFleet(this.#ports, access, fleet, input);
    const measured = await this.#measured(plan, input);
    const figures = {
      ...measured,
      ...registered(providers, plan.embeddingVersion),
      embedding: providers.recipeOf(plan.embeddingVersion).embedding,
      by: authorOf(access),
    };
    return this.#record(access, correlationId, { type: 'PlanFleet', fleet, plan, figures, now: now() }, plan.tenant);
  }

  async #measured({ tenant, embeddingVersion, chunking, seed }: FleetPlan, { sample, allTenants }: PlanInput) {
    if (this.#isRunning) throw new Conflict('a plan of a fleet is being made; ask again when it is complete');
    this.#isRunning = true;
    try {
      const { catalog, journal, measure } = this.#ports;
      const upTo = String(await journal.log.head());
      const chunksOfAll = await catalog.chunkCount(tenant);
      const scopes = (await catalog.scopes(tenant)).map(({ scope }) => scope);
      const chunks = sample ?? (allTenants === true ? 0 : SAMPLE);
      const { tenants, ...sums } = await measure(scopes, {
        target: { embeddingVersion, ...(chunking === undefined ? {} : { chunking }) },
        sample: chunks,
        seed,
      });
      const largest = tenants.toSorted((a, b) => b.chunks - a.chunks).slice(0, MAX_TENANTS);
      return { ...sums, tenants: largest, chunksOfAll, upTo };
    } finally {
      this.#isRunning = false;
    }
  }

  async #approve({ access, correlationId, input: { id } }: Message<Named, FleetPlanChanged>): Promise<FleetPlanChanged> {
    const { planned } = visiblePlan(access, id, await this.#known(id)).fleet;
    const command = { type: 'ApproveFleetPlan' as const, fleet: id, by: authorOf(access), now: this.#ports.now() };
    return this.#record(access, correlationId, command, planned.plan.tenant);
  }

  async #record(
    access: Access,
    correlationId: string,
    given: FleetCommand,
    tenant: TenantScope['tenant'] = DEFAULT_TENANT,
  ): Promise<FleetPlanChanged> {
    const { journal, progress } = this.#ports;
    const { position } = await journal.execute(decider, fleetStream(given.fleet), given, { tenant, actor: access.actor, correlationId });
    await progress.reached(position);
    return { ...fleetPlanView(visiblePlan(access, given.fleet, progress.get(given.fleet)).fleet), position };
  }

  /** Another process may have planned a moment ago. */
  async #known(id: FleetId): Promise<KnownFleet | undefined> {
    const { journal, progress } = this.#ports;
    await progress.reached(await journal.log.head(), CATCH_UP_MS);
    return progress.get(id);
  }
}

const authorOf = ({ actor, user }: Access): PlanAuthor => ({ actor, ...(user === undefined ? {} : { user }) });
