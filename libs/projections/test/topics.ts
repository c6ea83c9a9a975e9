import { GROUPS, TOPICS } from '@palimpsest/contracts';
import type { Message, MessageBus } from '@palimpsest/knowledge';

/** Of a bus, what the relay needs; an id that was published before is ignored, as the port promises. Work is settled when a test says so. */
export class Topics implements Pick<MessageBus, 'publish' | 'subscribe' | 'lag'> {
  readonly published = new Map<string, Message[]>();
  readonly groups: string[] = [];
  /** Every id of every call, those that were ignored too. */
  readonly calls: (readonly string[])[] = [];
  /** Of ingestion: the most that was ever unsettled. */
  mostUnsettled = 0;
  /** Settles what is published at once. */
  workedOffAtOnce: boolean;
  #settled = 0;
  #waiting: (() => void)[] = [];

  constructor({ workedOffAtOnce = true }: Readonly<{ workedOffAtOnce?: boolean }> = {}) {
    this.workedOffAtOnce = workedOffAtOnce;
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    const held = this.published.get(topic) ?? [];
    const known = new Set(held.map(({ id }) => id));
    held.push(...messages.filter(({ id }) => !known.has(id)));
    this.published.set(topic, held);
    this.calls.push(messages.map(({ id }) => id));
    this.mostUnsettled = Math.max(this.mostUnsettled, this.#unsettled());
    if (this.workedOffAtOnce) this.settle(Infinity);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async subscribe(topic: string, group: string): Promise<void> {
    this.groups.push(`${topic} ${group}`);
  }

  async lag(topic: string, group: string): Promise<number> {
    if (topic !== TOPICS.ingestion || group !== GROUPS.ingestion) throw new Error(`nobody should ask for ${topic} of ${group}`);
    return this.#unsettled();
  }

  /** The workers are done with so many more documents. */
  settle(documents: number): void {
    this.#settled += Math.min(documents, this.#unsettled());
  }

  bodies(topic: string): readonly Record<string, unknown>[] {
    return (this.published.get(topic) ?? []).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  /** Of the documents, in the order of publishing: `tenant/document@version`. */
  documents(): readonly string[] {
    return this.bodies(TOPICS.ingestion).map(({ tenant, documentId, version }) => `${String(tenant)}/${String(documentId)}@${String(version)}`);
  }

  /** Resolves once so many messages were published in all. */
  async holds(count: number): Promise<void> {
    while ([...this.published.values()].flat().length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  asBus(): MessageBus {
    return this as unknown as MessageBus;
  }

  #unsettled(): number {
    return (this.published.get(TOPICS.ingestion)?.length ?? 0) - this.#settled;
  }
}
