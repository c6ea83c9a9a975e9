import { Controller, Inject } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import { getHealth, getLiveness, getReadiness, getRoot, getStatus, type Readiness } from '@palimpsest/contracts/http';
import { Backlog } from '@palimpsest/ingestion';
import { authorise, hasRole, assertVisible } from '@palimpsest/knowledge';
import type { Catalog, MessageBus, Position } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import { ApiKeys, callerOf, PORT, Route, VERSION, type Call } from '@palimpsest/runtime';
import type { Figures } from '../telemetry/figures/figures.ts';
import type { OpenModels } from '../embedding-models.ts';

/** In units of the log's positions: events in the embedded log, bytes in EventStoreDB. */
const lag = (head: Position, reached: Position): number => Number(head > reached ? head - reached : 0n);

/** For a route that needs no key: whether to return the parts that only operators see. */
const isOperator = (keys: ApiKeys, authorization: string | undefined): boolean => {
  const access = callerOf(keys, authorization);
  return access !== undefined && hasRole(access, 'operator');
};

/** The root and the health checks, served by every process. */
@Controller()
export class HealthController {
  readonly #runner: ReadModelRunner;
  readonly #figures: Figures;
  readonly #keys: ApiKeys;

  constructor(@Inject(PORT.ReadModels) runner: ReadModelRunner, @Inject(PORT.Figures) figures: Figures, @Inject(ApiKeys) keys: ApiKeys) {
    this.#keys = keys;
    this.#runner = runner;
    this.#figures = figures;
  }

  @Route(getRoot)
  root() {
    return { name: 'palimpsest' as const, version: VERSION, openapi: '/openapi.json', health: '/health/ready', search: 'POST /v1/search' };
  }

  @Route(getLiveness)
  live() {
    return { status: 'ok' as const };
  }

  @Route(getReadiness)
  async ready({ reply }: Call<typeof getReadiness>): Promise<Readiness> {
    const writesFail = await this.#figures.writesFail();
    const failing = this.#runner.failure() !== undefined;
    const ready = this.#runner.serving() && !failing;
    if (!ready) void reply.status(503);
    if (ready && writesFail) return { status: 'degraded', reasons: ['writes-failing'] };
    return { status: ready ? 'ok' : failing ? 'projection failing' : 'catching up' };
  }

  @Route(getHealth)
  async rag({ request }: Call<typeof getHealth>) {
    const health = await this.#figures.health();
    const { status, reasons, windowSeconds } = health;
    return isOperator(this.#keys, request.headers.authorization) ? health : { status, reasons, windowSeconds };
  }
}

/** Status of the installation, served by a process that has access to all of it. */
@Controller()
export class StatusController {
  readonly #journal: Journal;
  readonly #catalog: Catalog;
  readonly #runner: ReadModelRunner;
  readonly #backlog: Backlog;
  readonly #providers: OpenModels;

  constructor(
    @Inject(PORT.Journal) journal: Journal,
    @Inject(PORT.Catalog) catalog: Catalog,
    @Inject(PORT.ReadModels) runner: ReadModelRunner,
    @Inject(PORT.MessageBus) bus: MessageBus,
    @Inject(PORT.EmbeddingProviders) providers: OpenModels,
    @Inject(PORT.Settings) settings: Readonly<{ queueCapacity: number }>,
  ) {
    this.#journal = journal;
    this.#catalog = catalog;
    this.#runner = runner;
    this.#backlog = new Backlog({ bus, catalog }, settings.queueCapacity);
    this.#providers = providers;
  }

  @Route(getStatus)
  async status({ access }: Call<typeof getStatus>) {
    // An operator sees the installation, every other caller its own tenant.
    const operator = hasRole(access, 'operator');
    const documents = await this.#catalog.documentCounts(operator ? undefined : access.tenant);
    const scopes = await this.#catalog.scopes(access.tenant);
    const permitted = authorise(
      access,
      scopes.map(({ scope: { scope } }) => scope),
    ).map(({ scope }) => scope);
    return {
      version: VERSION,
      ready: this.#runner.serving(),
      documents,
      chunks: await this.#catalog.chunkCount(operator ? undefined : access.tenant),
      ...(operator ? await this.#installation() : { queue: { depth: documents.pending + documents.processing - documents.held } }),
      models: { current: this.#providers.current.version, available: this.#providers.versions() },
      scopes: scopes
        .filter(({ scope: { scope } }) => permitted.includes(scope))
        .map(({ scope, generations }) => ({
          scope: assertVisible(access, scope).scope,
          generations: generations.map(({ id, embeddingVersion, status }) => ({ generation: id, embeddingVersion, status })),
        })),
    };
  }

  /** Values that cover the work of all tenants. */
  async #installation() {
    const head = await this.#journal.log.head();
    const progress = await this.#runner.progress();
    return {
      queue: { depth: await this.#backlog.depth(), capacity: this.#backlog.capacity },
      log: { position: String(head) },
      projections: progress.map(({ name, position }) => ({ name, position: String(position), lag: lag(head, position) })),
      embeddings: { cache: this.#providers.cacheStats() },
    };
  }
}
