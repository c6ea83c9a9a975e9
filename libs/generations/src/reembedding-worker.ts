import { GROUPS, reembed, TOPICS, whileServersAreAway } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { EmbeddingModelMismatch, ServerAway } from '@palimpsest/knowledge/errors';
import { PermanentFailure } from '@palimpsest/knowledge/ports';
import type { Consumer, Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import type { ReembedScope } from './reembed-scope.ts';

const GRACE_MS = 10_000;

/** Processes re-embedding messages from the bus. Waits while a server is unavailable. */
export class ReembeddingWorker {
  readonly #bus: MessageBus;
  readonly #scopes: ReembedScope;
  readonly #onFault: (error: unknown, about: string) => void;
  readonly #system: System | undefined;
  #consumer: Consumer | undefined;

  constructor(bus: MessageBus, scopes: ReembedScope, onFault: (error: unknown, about: string) => void, system?: System) {
    this.#system = system;
    this.#bus = bus;
    this.#scopes = scopes;
    this.#onFault = onFault;
  }

  async start(): Promise<void> {
    this.#consumer = await this.#bus.consume(
      { topic: TOPICS.reembedding, group: GROUPS.reembedding, concurrency: 1, maxAttempts: 10 },
      async (deliveries) => {
        for (const delivery of deliveries)
          await whileServersAreAway(
            delivery.signal,
            () => this.#handle(delivery),
            (error) => this.#onFault(error, 're-embedding'),
            this.#system,
          );
      },
    );
  }

  async stop(): Promise<void> {
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
