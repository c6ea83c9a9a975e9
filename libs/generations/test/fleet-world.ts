import { SYSTEM } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import {
  comingGeneration,
  DOCUMENT_RANGES,
  scope as decider,
  scopeStream,
  type Scope,
  type ScopeCommand,
} from '@palimpsest/knowledge/deciders';
import type { EvaluationResult, EvaluationVerdict } from '@palimpsest/knowledge/evaluation';
import { fleetStream, type FleetEvent, type FleetId } from '@palimpsest/knowledge/fleet';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { EmbeddingProviders, EventLog, RegisteredModel } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import {
  recipeWith,
  scopeKey,
  tenantId,
  vectorScope,
  type EmbeddingVersion,
  type GenerationId,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aJournal, aRegisteredModel, InMemoryEventLog, InMemoryPartitionLeases, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { AdvanceFleet } from '../src/fleet/advance-fleet.ts';
import { FleetProgress } from '../src/fleet/fleet-progress.ts';
import { FleetWorker } from '../src/fleet/fleet-worker.ts';
import { ManageFleets } from '../src/fleet/manage-fleets.ts';
import { PlanFleets, type PlanFleetsPorts } from '../src/fleet/plan-fleets.ts';
import { MoveScope } from '../src/fleet/move-scope.ts';
import { RetireScopes } from '../src/fleet/retire-scopes.ts';
import { FLEET_ACTOR } from '../src/fleet/scope-progress.ts';
import { LARGE, MINI } from './world.ts';

export const OPERATOR: Access = { tenant: tenantId('ops'), teams: [], roles: ['operator'], actor: 'key:operator' };
export const ACME: Access = { tenant: tenantId('acme'), teams: ['a0'], roles: ['admin'], actor: 'key:acme' };

export const named = (tenant: string, scope: string): TenantScope => ({ tenant: tenantId(tenant), scope: vectorScope(scope) });
type Without<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

/** Scopes of several tenants on one log. A spec does the work of the re-embedding workers, so that it decides how each swap ends. */
export class FleetWorld {
  readonly log = new InMemoryEventLog();
  readonly keys = new InMemoryScopeKeys();
  readonly journal = aJournal(this.log, this.keys);
  readonly scopes: TenantScope[] = [];
  /** Scopes without chunks, by `scopeKey`. */
  readonly empty = new Set<string>();
  versions: readonly EmbeddingVersion[] = [MINI, LARGE];
  requirePlan = false;
  /** What operators say about every model. */
  described: Partial<RegisteredModel> = {};
  /** Chunks in all scopes together. */
  chunks = 900;
  /** What the measurement of a plan was asked for. */
  readonly measured: Parameters<PlanFleetsPorts['measure']>[] = [];
  /** Whether the indexes say what they use; a server does not. */
  measures = true;
  readonly faults: string[] = [];
  readonly leases = new InMemoryPartitionLeases();
  #minute = 0;
  #processes: FleetProcess[] = [];

  readonly now = (): string => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();

  /** Moves the clock. */
  jump(minutes: number): void {
    this.#minute += minutes;
  }

  async add(...scopes: readonly TenantScope[]): Promise<void> {
    for (const scope of scopes) {
      await this.act(scope, { type: 'Open', recipe: recipeWith({ version: MINI }) });
      this.scopes.push(scope);
    }
  }

  /** A process; several share the log, and one of them advances the fleets. */
  async process({ works = true, log = this.log }: Readonly<{ works?: boolean; log?: EventLog }> = {}): Promise<FleetProcess> {
    const process = await FleetProcess.start(this, works, log);
    this.#processes.push(process);
    return process;
  }

  async stop(): Promise<void> {
    for (const process of this.#processes.splice(0)) await process.stop();
  }

  async act(scope: TenantScope, command: Without<ScopeCommand, 'scope' | 'now'>, actor = 'reembedding-worker'): Promise<Scope> {
    const whole = { ...command, scope: scope.scope, now: this.now() } as ScopeCommand;
    const metadata = { ...scope, actor, correlationId: 'spec' };
    return (await this.journal.execute(decider, scopeStream(scope), whole, metadata)).state;
  }

  async state(scope: TenantScope): Promise<Scope> {
    return (await this.journal.load(decider, scopeStream(scope))).state;
  }

  async active(scope: TenantScope): Promise<EmbeddingVersion | undefined> {
    return (await this.state(scope)).generations.find(({ status }) => status === 'active')?.embeddingVersion;
  }

  /** 100 bytes of memory and 1,000 on disk for each generation that is not retired. */
  async bytes({ scope, generation }: IndexPartition): Promise<Readonly<{ memory: number; disk: number }>> {
    const { generations } = await this.state(scope);
    const isLive = generations.some(({ id, status }) => id === generation && status !== 'retired');
    return isLive ? { memory: 100, disk: 1_000 } : { memory: 0, disk: 0 };
  }

  /** Ten chunks in each scope that does not have the current model. */
  readonly measure: PlanFleetsPorts['measure'] = async (...asked) => {
    this.measured.push(asked);
    const sums = (scopes: number) => ({
      scopes,
      documents: scopes,
      chunks: 10 * scopes,
      tokens: 50 * scopes,
      reusable: 0,
      bytes: { vectors: 640 * scopes },
    });
    const moved = [];
    for (const scope of asked[0]) if ((await this.active(scope)) !== LARGE) moved.push(scope);
    const byTenant = [...Map.groupBy(moved, ({ tenant }) => tenant)].map(([tenant, { length }]) => ({ tenant, ...sums(length) }));
    return { tenants: byTenant, total: sums(moved.length), left: asked[0].length - moved.length };
  };

  /** The scopes with a swap that is being built and not paused. */
  async building(): Promise<readonly TenantScope[]> {
    const found = [];
    for (const scope of this.scopes) {
      const state = await this.state(scope);
      if (comingGeneration(state)?.status === 'building' && !state.swap?.paused) found.push(scope);
    }
    return found;
  }

  async build(scope: TenantScope): Promise<GenerationId> {
    const generation = comingGeneration(await this.state(scope))?.id;
    if (generation === undefined) throw new Error(`${scopeKey(scope)} has no swap`);
    for (let range = 0; range < DOCUMENT_RANGES; range++)
      await this.act(scope, { type: 'RecordRange', generation, range, counts: { chunks: 1, withoutVector: 0, tokens: 1 } });
    await this.act(scope, { type: 'RecordBuilt', generation, counts: { chunks: 16, withoutVector: 0, upTo: '1' } });
    return generation;
  }

  /** What the workers do with a swap that has a gate. */
  async finish(scope: TenantScope, verdict: EvaluationVerdict = 'not-worse'): Promise<void> {
    const generation = await this.build(scope);
    const against = (await this.state(scope)).generations.find(({ status }) => status === 'active')?.id ?? generation;
    const evaluation: EvaluationResult = {
      ...{ generation, against, verdict, by: 'platform', reasons: [`it is ${verdict}`], decidedBy: 'self', margin: 0.02, seed: 1 },
      ...{ from: '1', upTo: '2', measures: [], coverage: { chunks: 3, refused: 0, unexplained: 0 }, unsettled: 0 },
      ...{ golden: { used: 0, synthetic: 0, unusable: 0 }, spotCheck: { checked: 0, mismatched: 0 } },
      ...{ queries: [], sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [] },
    };
    await this.act(scope, { type: 'RecordEvaluation', evaluation });
  }

  async fail(scope: TenantScope): Promise<void> {
    await this.act(scope, { type: 'Pause', reason: 'the model failed 6 times in a row', by: 'platform' });
  }

  async events(id: FleetId): Promise<readonly FleetEvent[]> {
    const found: FleetEvent[] = [];
    for await (const { event } of this.journal.readStream(fleetStream(id))) found.push(event as FleetEvent);
    return found;
  }

  /** Number of events of this type that fleets recorded on scopes. */
  async recorded(type: string): Promise<number> {
    let count = 0;
    for await (const { event, metadata } of this.journal.readAll()) if (event.type === type && metadata.actor === FLEET_ACTOR) count++;
    return count;
  }
}

/** The fleets of one process. */
export class FleetProcess {
  readonly progress: FleetProgress;
  readonly advance: AdvanceFleet;
  readonly buses: Buses;
  readonly #worker: FleetWorker;
  readonly #works: boolean;

  private constructor(world: FleetWorld, works: boolean, log: EventLog) {
    const { keys, now, leases } = world;
    const journal = aJournal(log, keys);
    const onFault = (error: unknown, about: string): void => void world.faults.push(`${about}: ${String(error)}`);
    const providers: EmbeddingProviders = {
      current: { version: LARGE },
      of: () => undefined,
      versions: () => world.versions,
      recipeOf: (version) => recipeWith({ version }),
      models: () => world.versions.map((version) => ({ ...aRegisteredModel(version), ...world.described })),
    };
    const catalog = {
      scopes: async (tenant?: string) =>
        world.scopes.filter((scope) => tenant === undefined || scope.tenant === tenant).map((scope) => ({ scope, generations: [] })),
      countsIn: async ([scope]: readonly TenantScope[]) => ({
        documents: {} as never,
        chunks: scope && world.empty.has(scopeKey(scope)) ? 0 : 9,
      }),
      chunkCount: async () => world.chunks,
    };
    const readModels = { position: () => 0n as never, reached: async () => true, serving: () => true };
    this.progress = new FleetProgress({ journal, system: SYSTEM, onFault });
    const scopes = new MoveScope({ journal, catalog, keys, providers, now });
    const indexes = { vectors: world.measures ? { bytes: (of: IndexPartition) => world.bytes(of) } : {}, readModels };
    const retirement = new RetireScopes({ scopes, progress: this.progress, indexes });
    this.advance = new AdvanceFleet({ journal, catalog, readModels, progress: this.progress, scopes, retirement, now });
    const { progress, advance } = this;
    const manage = new ManageFleets({
      journal,
      catalog,
      providers,
      progress,
      advance,
      system: SYSTEM,
      now,
      requirePlan: world.requirePlan,
    });
    const measure: PlanFleetsPorts['measure'] = (...asked) => world.measure(...asked);
    const plans = new PlanFleets({ journal, catalog, providers, progress, measure, system: SYSTEM, now });
    this.buses = new Buses([...manage.handlers, ...plans.handlers], UNLIMITED);
    this.#worker = new FleetWorker({ journal, leases, progress, advance, onFault, system: SYSTEM });
    this.#works = works;
  }

  static async start(world: FleetWorld, works: boolean, log: EventLog): Promise<FleetProcess> {
    const process = new FleetProcess(world, works, log);
    await process.progress.start();
    if (works) await process.#worker.start();
    return process;
  }

  async stop(): Promise<void> {
    if (this.#works) await this.#worker.stop();
    await this.progress.stop();
  }
}
