import type { Consumer, ConsumeOptions, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';

/** Keeps what is published, and delivers it at once to the consumer of its topic. */
export class DirectBus implements Pick<MessageBus, 'publish' | 'consume'> {
  readonly published: Message[] = [];
  readonly #handlers = new Map<string, Handler>();

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    this.published.push(...messages);
    const { signal } = new AbortController();
    await this.#handlers.get(topic)?.(
      messages.map((message) => ({ ...message, topic, attempt: 1, publishedAt: '2026-01-01T00:00:00.000Z', signal })),
    );
  }

  async consume({ topic }: ConsumeOptions, handler: Handler): Promise<Consumer> {
    this.#handlers.set(topic, handler);
    return { pause: () => undefined, resume: () => undefined, stop: async () => void this.#handlers.delete(topic) };
  }
}
