import { GROUPS, TOPICS, type Journal, type ProcessDocument, type Reembed } from '@palimpsest/contracts';
import type { Checkpoints, DomainEvent, Fact, Message, MessageBus } from '@palimpsest/knowledge';

/** The events that lead to work. */
const TYPES = ['DocumentSubmitted', 'GenerationStarted'] as const satisfies readonly DomainEvent['type'][];
const CHECKPOINT = 'relay';
/** Publishing again is harmless, so the checkpoint need not cost an fsync for every batch. */
const SAVE_EVERY_MS = 1_000;

type Work = Readonly<{ topic: string; message: Message }>;

/** What work follows from a fact; the message's id is the event's, so that publishing twice is publishing once. */
export const workOf = ({ event, metadata, id }: Fact<DomainEvent>): Work | undefined => {
  const { tenant, scope, correlationId, traceparent } = metadata;
  if (scope === undefined) return undefined;
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
  const message = (key: string, body: ProcessDocument | Reembed): Message => ({ id, key, headers, body: JSON.stringify(body) });
  if (event.type === 'DocumentSubmitted') {
    const { documentId, version } = event.data;
    return { topic: TOPICS.ingestion, message: message(`${tenant}/${documentId}`, { tenant, scope, documentId, version, correlationId }) };
  }
  if (event.type === 'GenerationStarted') return { topic: TOPICS.reembedding, message: message(`${tenant}/${scope}`, { tenant, scope, correlationId }) };
  return undefined;
};

/** Work follows from the log, never beside it: this is the only place where commands get onto the bus. */
export class Relay {
  readonly #journal: Journal;
  readonly #bus: MessageBus;
  readonly #checkpoints: Checkpoints;

  constructor(journal: Journal, bus: MessageBus, checkpoints: Checkpoints) {
    this.#journal = journal;
    this.#bus = bus;
    this.#checkpoints = checkpoints;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#bus.subscribe(TOPICS.ingestion, GROUPS.ingestion);
    await this.#bus.subscribe(TOPICS.reembedding, GROUPS.reembedding);
    const after = await this.#checkpoints.get(CHECKPOINT);
    let [published, saved, savedAt] = [after, after, 0];
    for await (const { facts, upTo } of this.#journal.follow({ after, signal, types: TYPES })) {
      const work = facts.flatMap((fact) => workOf(fact) ?? []);
      for (const topic of new Set(work.map((one) => one.topic)))
        await this.#bus.publish(topic, work.filter((one) => one.topic === topic).map(({ message }) => message));
      published = upTo;
      if (work.length === 0 || performance.now() - savedAt < SAVE_EVERY_MS) continue;
      await this.#checkpoints.set(CHECKPOINT, published);
      [saved, savedAt] = [published, performance.now()];
    }
    if (published > saved) await this.#checkpoints.set(CHECKPOINT, published);
  }
}
