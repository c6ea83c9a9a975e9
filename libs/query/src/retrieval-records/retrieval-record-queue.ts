import { TOPICS } from '@palimpsest/contracts';
import { Mutex, SYSTEM, type Cancel, type Scheduler } from '@palimpsest/foundation';
import { ScopeKeyDestroyed, type Message, type MessageBus } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';
import type { RetrievalRecord } from './retrieval-record.ts';

/** How long records are collected before they are published, and the maximum number of waiting records. */
const BATCH_DELAY_MS = 200;
const MAX_WAITING = 10_000;

/**
 * Retrieval records on their way to the event log. A search only adds its record here and never waits. Records that exceed the
 * queue are dropped and counted, and a failure never reaches a search.
 */
export class RetrievalRecordQueue {
  readonly #bus: Pick<MessageBus, 'publish'>;
  readonly #onError: (error: unknown) => void;
  #waiting: { tenant: TenantId; actor: string; record: () => Promise<RetrievalRecord> }[] = [];
  readonly #scheduler: Scheduler;
  #timer: Cancel | undefined;
  readonly #mutex = new Mutex();
  dropped = 0;

  constructor(bus: Pick<MessageBus, 'publish'>, onError: (error: unknown) => void, scheduler: Scheduler = SYSTEM.scheduler) {
    this.#scheduler = scheduler;
    this.#bus = bus;
    this.#onError = onError;
  }

  /** `record` is called when the record is published: digesting and sealing take no time of the search. */
  add(tenant: TenantId, actor: string, record: () => Promise<RetrievalRecord>): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.#waiting.push({ tenant, actor, record });
    this.#timer ??= this.#scheduler.after(BATCH_DELAY_MS, () => void this.flush(), { background: true });
  }

  /** Resolves when everything added so far was published or dropped. */
  flush(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    return this.#mutex.run(() => this.#send());
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    const messages: Message[] = [];
    for (const each of batch) {
      try {
        messages.push(messageOf(each.tenant, each.actor, await each.record()));
      } catch (error) {
        // The scope was erased since the search: its records are erased too, so that nothing is missing.
        if (!(error instanceof ScopeKeyDestroyed)) this.#drop(1, error);
      }
    }
    if (messages.length > 0)
      await this.#bus.publish(TOPICS.retrieval, messages).catch((error: unknown) => this.#drop(messages.length, error));
  }

  #drop(count: number, error: unknown): void {
    this.dropped += count;
    this.#onError(error);
  }
}

const messageOf = (tenant: TenantId, actor: string, record: RetrievalRecord): Message => ({
  id: record.data.traceId,
  key: record.data.traceId,
  headers: { tenant, actor },
  body: JSON.stringify(record),
});
