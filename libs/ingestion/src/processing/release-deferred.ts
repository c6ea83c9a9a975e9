import { GROUPS, TOPICS, type ProcessDocument } from '@palimpsest/contracts';
import { pause, SYSTEM, type Scheduler } from '@palimpsest/foundation';
import type { EmbeddingProviders, Message, MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog, DeferredDocument } from '@palimpsest/knowledge/read-models';
import type { TenantScope } from '@palimpsest/knowledge/values';

type Ports = Readonly<{
  catalog: Pick<Catalog, 'scopes' | 'deferredDocuments'>;
  bus: Pick<MessageBus, 'publish' | 'lag'>;
  providers: Pick<EmbeddingProviders, 'of'>;
}>;

const LOOK_EVERY_MS = 2_000;
/** Releases more only while fewer documents than this are on the bus, so that other documents do not wait behind a long queue. */
const MAX_ON_BUS = 64;

/**
 * Publishes documents that wait for an embedding model again once this process has the model of their scope: after the scope was
 * re-embedded, or after a restart with that model. Every process may run it; the bus ignores duplicates.
 */
export class ReleaseDeferred {
  readonly #ports: Ports;
  readonly #onError: (error: unknown) => void;
  readonly #scheduler: Scheduler;

  constructor(ports: Ports, onError: (error: unknown) => void, scheduler: Scheduler = SYSTEM.scheduler) {
    this.#scheduler = scheduler;
    this.#ports = ports;
    this.#onError = onError;
  }

  /** Resolves after the signal. */
  async keepLooking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.run().catch(this.#onError);
      await pause(LOOK_EVERY_MS, signal, this.#scheduler);
    }
  }

  /** Releases as many documents as the bus has capacity for. */
  async run(): Promise<void> {
    const { catalog, bus, providers } = this.#ports;
    for (const { scope, generations } of await catalog.scopes()) {
      const active = generations.find(({ status }) => status === 'active');
      if (!active || providers.of(active.embeddingVersion, scope.tenant) === undefined) continue;
      const waiting = await catalog.deferredDocuments(scope, MAX_ON_BUS);
      if (waiting.length === 0) continue;
      if ((await bus.lag(TOPICS.ingestion, GROUPS.ingestion)) >= MAX_ON_BUS) return;
      await bus.publish(
        TOPICS.ingestion,
        waiting.map((document) => messageOf(scope, document)),
      );
    }
  }
}

/** The id is unique for each deferral. */
const messageOf = ({ tenant, scope }: TenantScope, { documentId, version, deferredAt }: DeferredDocument): Message => {
  const id = `${documentId}/${version}/${deferredAt}`;
  const body: ProcessDocument = { tenant, scope, documentId, version, correlationId: id };
  return { id, key: `${tenant}/${documentId}`, headers: {}, body: JSON.stringify(body) };
};
