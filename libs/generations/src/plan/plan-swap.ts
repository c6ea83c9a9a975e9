import { approveSwapPlan, getSwapPlan, planSwap, planSwaps } from '@palimpsest/contracts/routes/swap-plan';
import { authorise, permittedScope } from '@palimpsest/knowledge/access';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Executed } from '@palimpsest/contracts';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { Cutover, ScopeEvent } from '@palimpsest/knowledge/events';
import type { Plan, PlanAuthor, PlanId } from '@palimpsest/knowledge/plans';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { Position, TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { wantedRecipe, type RecipeTarget } from '../wanted-recipe.ts';
import type { EmbeddedSample } from './embed-sample.ts';
import { measureScope, type MeasureOptions, type MeasurePorts } from './measure-scope.ts';

export type PlanPorts = MeasurePorts & Readonly<{ catalog: MeasurePorts['catalog'] & Pick<CatalogReader, 'scopes'>; now: () => string }>;

type Named = Readonly<{ scope: VectorScope }>;
/** `embeddingVersion`: default, the current model. `sample`: chunks to embed; default 64. `seed`: of all samples. */
export type PlanOptions = RecipeTarget & Readonly<{ cutover?: Cutover; sample?: number; seed?: number }>;
export type Planned = Readonly<{ plan: Plan; position: Position }>;
/** `left`: scopes that need no plan or cannot be planned now, and why. */
export type PlannedScopes = Readonly<{ plans: readonly Plan[]; left: readonly Readonly<{ scope: VectorScope; reason: string }>[] }>;

const checks = { scopes: ({ scope }: Named) => [scope] };

export class PlanSwap extends command<Named & PlanOptions, Planned>(planSwap, checks) {}
export class PlanSwaps extends command<PlanOptions, PlannedScopes>(planSwaps) {}
export class ApproveSwapPlan extends command<Named & Readonly<{ plan: PlanId }>, Planned>(approveSwapPlan, checks) {}
export class GetSwapPlan extends query<Named, Plan>(getSwapPlan, { ...checks, ...NO_ROWS }) {}

const SAMPLE = 64;

/** What a swap would take, before anything starts; and the agreement of another person. */
export class PlanSwapsOfScopes implements UseCase {
  readonly handlers = [
    on(PlanSwap, ({ access, input: { scope, ...options }, correlationId }) => this.#one(access, scope, options, correlationId)),
    on(PlanSwaps, ({ access, input, correlationId }) => this.#all(access, input, correlationId)),
    on(ApproveSwapPlan, ({ access, input: { scope, plan }, correlationId }) => this.#approve(access, scope, plan, correlationId)),
    on(GetSwapPlan, ({ access, input: { scope } }) => this.#latest(permittedScope(access, scope))),
  ];
  readonly #ports: PlanPorts;
  readonly #running = new Set<TenantId>();

  constructor(ports: PlanPorts) {
    this.#ports = ports;
  }

  async #one(access: Access, name: VectorScope, options: PlanOptions, correlationId: string): Promise<Planned> {
    return this.#onceAtATime(access.tenant, async () => {
      const { plan, position } = await this.#plan(access, permittedScope(access, name), this.#asked(options), correlationId);
      return { plan, position };
    });
  }

  /** Scopes that the caller may read. The speed of the model is measured once. */
  async #all(access: Access, options: PlanOptions, correlationId: string): Promise<PlannedScopes> {
    const known = (await this.#ports.catalog.scopes(access.tenant)).map(({ scope }) => scope.scope);
    return this.#onceAtATime(access.tenant, async () => {
      const asked = this.#asked(options);
      const plans: Plan[] = [];
      const left: { scope: VectorScope; reason: string }[] = [];
      let speed: EmbeddedSample | undefined;
      for (const scope of authorise(access, known)) {
        try {
          const planned = await this.#plan(access, scope, { ...asked, ...(speed && isOneModel(options) ? { speed } : {}) }, correlationId);
          speed ??= planned.speed;
          plans.push(planned.plan);
        } catch (error) {
          // One scope that is being moved, or has the model, does not keep the others from being planned.
          if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
          left.push({ scope: scope.scope, reason: error.message });
        }
      }
      return { plans, left };
    });
  }

  async #plan(
    access: Access,
    scope: PermittedScope,
    options: MeasureOptions,
    correlationId: string,
  ): Promise<Planned & Readonly<{ speed?: EmbeddedSample }>> {
    const { journal, now } = this.#ports;
    const { figures, speed } = await measureScope(this.#ports, scope, options, new AbortController().signal);
    const command = { type: 'RecordPlan' as const, scope: scope.scope, figures: { ...figures, by: authorOf(access) }, now: now() };
    const executed = await journal.execute(decider, scopeStream(scope), command, { ...scope, actor: access.actor, correlationId });
    return { ...planned(executed, scope), ...(speed ? { speed } : {}) };
  }

  async #approve(access: Access, name: VectorScope, plan: PlanId, correlationId: string): Promise<Planned> {
    const { journal, now } = this.#ports;
    const scope = permittedScope(access, name);
    const command = { type: 'ApprovePlan' as const, scope: name, plan, by: authorOf(access), now: now() };
    return planned(await journal.execute(decider, scopeStream(scope), command, { ...scope, actor: access.actor, correlationId }), scope);
  }

  async #latest(scope: PermittedScope): Promise<Plan> {
    const { state } = await this.#ports.journal.load(decider, scopeStream(scope));
    if (!state.opened) throw new NotFound('scope', scope.scope);
    if (!state.plan) throw new NotFound('plan of scope', scope.scope);
    return state.plan;
  }

  /** @throws InvalidValue before any scope is read */
  #asked({ cutover = 'automatic', sample = SAMPLE, seed, ...target }: PlanOptions): MeasureOptions {
    wantedRecipe(this.#ports.providers, undefined, target);
    return { target, cutover, sample, ...(seed === undefined ? {} : { seed }) };
  }

  /** @throws Conflict while this process plans for the tenant: each plan reads thousands of texts and calls the model */
  async #onceAtATime<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(tenant)) throw new Conflict('a plan of this tenant is being made; ask again when it is complete');
    this.#running.add(tenant);
    try {
      return await work();
    } finally {
      this.#running.delete(tenant);
    }
  }
}

/** Whether all scopes get the same model: with another chunking alone, each keeps its own. */
const isOneModel = ({ embeddingVersion, chunking }: PlanOptions): boolean => embeddingVersion !== undefined || chunking === undefined;

const authorOf = ({ actor, user }: Access): PlanAuthor => ({ actor, ...(user === undefined ? {} : { user }) });

const planned = ({ state, position }: Executed<Scope, ScopeEvent>, { scope }: PermittedScope): Planned => {
  if (!state.plan) throw new NotFound('plan of scope', scope);
  return { plan: state.plan, position };
};
