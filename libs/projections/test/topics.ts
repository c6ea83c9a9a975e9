import { GROUPS, TOPICS } from '@palimpsest/contracts';
import type { Message, MessageBus } from '@palimpsest/knowledge/ports';

/** The part of a message bus that the relay needs. It ignores ids published before, as the port requires. Tests settle the work. */
export class Topics implements Pick<MessageBus, 'publish' | 'subscribe' | 'lag'> {
  readonly published = new Map<string, Message[]>();
  readonly groups: string[] = [];
  /** The ids of every call, including ignored ones. */
  readonly calls: (readonly string[])[] = [];
  /** Maximum number of unsettled messages of ingestion. */
  maxUnsettled = 0;
  /** Whether published messages are settled immediately. */
  settlesImmediately: boolean;
  #settled = 0;
  #waiting: (() => void)[] = [];

  constructor({ settlesImmediately = true }: Readonly<{ settlesImmediately?: boolean }> = {}) {
    this.settlesImmediately = settlesImmediately;
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    const held = this.published.get(topic) ?? [];
    const known = new Set(held.map(({ id }) => id));
    held.push(...messages.filter(({ id }) => !known.has(id)));
    this.published.set(topic, held);
    this.calls.push(messages.map(({ id }) => id));
    this.maxUnsettled = Math.max(this.maxUnsettled, this.#unsettled());
    if (this.settlesImmediately) this.settle(Infinity);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async subscribe(topic: string, group: string): Promise<void> {
    this.groups.push(`${topic} ${group}`);
  }

  async lag(topic: string, group: string): Promise<number> {
    // Ranges of a swap are settled at once.
    if (topic === TOPICS.reembedding && group === GROUPS.reembedding) return 0;
    if (topic !== TOPICS.ingestion || group !== GROUPS.ingestion) throw new Error(`unexpected lag of ${topic}, ${group}`);
    return this.#unsettled();
  }

  /** The workers finish this many more documents. */
  settle(documents: number): void {
    this.#settled += Math.min(documents, this.#unsettled());
  }

  bodies(topic: string): readonly Record<string, unknown>[] {
    return (this.published.get(topic) ?? []).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  /** The documents in publishing order, as `tenant/document@version`. */
  documents(): readonly string[] {
    return this.bodies(TOPICS.ingestion).map(
      ({ tenant, documentId, version }) => `${String(tenant)}/${String(documentId)}@${String(version)}`,
    );
  }

  /** Resolves once `count` messages were published in total. */
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
