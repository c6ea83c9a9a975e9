import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { GROUPS, reembed, TOPICS, whileServersAreAway, type Journal } from '@palimpsest/contracts';
import { EmbeddingModelMismatch, PermanentFailure, ServerAway } from '@palimpsest/knowledge';
import type { QuotaPolicy, Catalog, Consumer, Delivery, EmbeddingProviders, MessageBus, ReadModels, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import { now, PORT, type OnFault } from '@palimpsest/runtime';
import { ReembedDocument } from '../reembed-document.ts';
import { ReembedScope } from '../reembed-scope.ts';
import { ReembeddingController } from './reembedding-controller.ts';

const GRACE_MS = 10_000;

/** Processes re-embedding messages from the bus. Waits while a server is unavailable. */
export class ReembeddingWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #bus: MessageBus;
  readonly #scopes: ReembedScope;
  readonly #onFault: OnFault;
  #consumer: Consumer | undefined;

  constructor(bus: MessageBus, scopes: ReembedScope, onFault: OnFault) {
    this.#bus = bus;
    this.#scopes = scopes;
    this.#onFault = onFault;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#consumer = await this.#bus.consume({ topic: TOPICS.reembedding, group: GROUPS.reembedding, concurrency: 1, maxAttempts: 10 }, async (deliveries) => {
      for (const delivery of deliveries)
        await whileServersAreAway(delivery.signal, () => this.#handle(delivery), (error) => this.#onFault(error, 're-embedding'));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#consumer?.stop(GRACE_MS);
  }

  async #handle({ body, signal }: Delivery): Promise<void> {
    const parsed = reembed.safeParse(JSON.parse(body));
    if (!parsed.success) throw new PermanentFailure(`invalid re-embedding message: ${parsed.error.message}`);
    const { tenant, scope, documentId, correlationId } = parsed.data;
    try {
      if (documentId === undefined) await this.#scopes.work({ tenant, scope }, correlationId, signal);
      else await this.#scopes.workOn({ tenant, scope }, documentId, correlationId, signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof ServerAway)) this.#onFault(error, `re-embedding scope ${tenant}/${scope}`);
      throw error instanceof EmbeddingModelMismatch ? new PermanentFailure(error.message, { cause: error }) : error;
    }
  }
}

@Module({
  controllers: [ReembeddingController],
  providers: [
    {
      provide: ReembedScope,
      inject: [PORT.Journal, PORT.Catalog, PORT.VectorIndex, PORT.ReadModels, PORT.EmbeddingProviders, PORT.ScopeKeys, PORT.QuotaPolicy],
      useFactory: (
        journal: Journal, catalog: Catalog, vectors: VectorIndex, readModels: ReadModels, providers: EmbeddingProviders, keys: ScopeKeys, quotaPolicy: QuotaPolicy,
      ) => new ReembedScope({ quotaPolicy, journal, catalog, vectors, readModels, providers, documents: new ReembedDocument({ journal, keys, providers }), now }),
    },
    {
      provide: ReembeddingWorker,
      inject: [PORT.MessageBus, ReembedScope, PORT.OnFault],
      useFactory: (bus: MessageBus, scopes: ReembedScope, onFault: OnFault) => new ReembeddingWorker(bus, scopes, onFault),
    },
  ],
})
export class ReembeddingModule {}
