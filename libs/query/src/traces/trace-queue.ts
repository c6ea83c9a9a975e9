import { TOPICS } from '@palimpsest/contracts';
import type { MessageBus, TenantId } from '@palimpsest/knowledge';
import type { RetrievalRecord } from './retrieval-record.ts';

/** How long traces gather before they go onto the bus, and how many may gather. */
const GATHER_MS = 200;
const MAX_WAITING = 10_000;

/**
 * Traces on their way to the log, behind the answers: a search only puts its trace here. What cannot be kept up with is
 * dropped and counted, and no failure reaches a search.
 */
export class TraceQueue {
  readonly #bus: MessageBus;
  readonly #onError: (error: unknown) => void;
  #waiting: { tenant: TenantId; actor: string; record: RetrievalRecord }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  dropped = 0;

  constructor(bus: MessageBus, onError: (error: unknown) => void) {
    this.#bus = bus;
    this.#onError = onError;
  }

  add(tenant: TenantId, actor: string, record: RetrievalRecord): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.#waiting.push({ tenant, actor, record });
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Resolves when everything added so far is on the bus, or was given up. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    try {
      await this.#bus.publish(
        TOPICS.retrieval,
        batch.map(({ tenant, actor, record }) => ({ id: record.data.traceId, key: record.data.traceId, headers: { tenant, actor }, body: JSON.stringify(record) })),
      );
    } catch (error) {
      this.dropped += batch.length;
      this.#onError(error);
    }
  }
}
