import type { Journal } from '@palimpsest/contracts';
import { Backlog } from '@palimpsest/ingestion';
import { type StatusView } from '@palimpsest/contracts/http';
import { getStatus } from '@palimpsest/contracts/routes/operation';
import { assertVisible, authorise, hasRole } from '@palimpsest/knowledge/access';
import type { Access } from '@palimpsest/knowledge/access';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { EmbeddingVersion, Position } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '@palimpsest/projections';
import { VERSION } from '@palimpsest/foundation/version';
import type { OpenModels } from '../models/embedding-models.ts';

export type StatusPorts = Readonly<{
  journal: Journal;
  catalog: Catalog;
  readModels: ReadModelRunner;
  bus: MessageBus;
  providers: OpenModels;
  settings: Readonly<{ queueCapacity: number }>;
}>;

/** In units of the log's positions: events in the embedded log, bytes in EventStoreDB. */
const lag = (head: Position, reached: Position): number => Number(head > reached ? head - reached : 0n);

/** Documents, queue, models and generations; for an operator those of the installation. */
export class GetStatus extends query<void, StatusView>(getStatus, NO_ROWS) {}

/** Calls `assertVisible` for the scopes that it lists: what it returns of them no longer has their tenant. */
export class ReadStatus implements UseCase {
  readonly handlers = [on(GetStatus, ({ access }) => this.run(access))];
  readonly #ports: StatusPorts;
  readonly #backlog: Backlog;

  constructor(ports: StatusPorts) {
    this.#ports = ports;
    this.#backlog = new Backlog(ports, ports.settings.queueCapacity);
  }

  async run(access: Access): Promise<StatusView> {
    const { catalog, readModels, providers } = this.#ports;
    // An operator sees the installation, every other caller its own tenant.
    const operator = hasRole(access, 'operator');
    const documents = await catalog.documentCounts(operator ? undefined : access.tenant);
    const scopes = await catalog.scopes(access.tenant);
    const permitted = authorise(
      access,
      scopes.map(({ scope: { scope } }) => scope),
    ).map(({ scope }) => scope);
    return {
      version: VERSION,
      ready: readModels.serving(),
      documents,
      chunks: await catalog.chunkCount(operator ? undefined : access.tenant),
      ...(await catalog.refusedChunks(operator ? undefined : access.tenant)),
      ...(operator ? await this.#installation() : { queue: { depth: documents.pending + documents.processing - documents.held } }),
      models: { current: providers.current.version, available: providers.versions() },
      scopes: scopes
        .filter(({ scope: { scope } }) => permitted.includes(scope))
        .map(({ scope, generations }) => ({
          scope: assertVisible(access, scope).scope,
          generations: generations.map((generation) => shown(generation, providers.versions())),
        })),
    };
  }

  /** Values that cover the work of all tenants. */
  async #installation() {
    const { journal, readModels, providers } = this.#ports;
    const head = await journal.log.head();
    const progress = await readModels.progress();
    return {
      queue: { depth: await this.#backlog.depth(), capacity: this.#backlog.capacity },
      log: { position: String(head) },
      projections: progress.map(({ name, position }) => ({ name, position: String(position), lag: lag(head, position) })),
      embeddings: { cache: providers.cacheStats() },
    };
  }
}

const shown = ({ id, embeddingVersion, status }: Generation, configured: readonly EmbeddingVersion[]) => ({
  generation: id,
  embeddingVersion,
  status,
  ...(status === 'retired' || configured.includes(embeddingVersion) ? {} : { modelMissing: true as const }),
});
