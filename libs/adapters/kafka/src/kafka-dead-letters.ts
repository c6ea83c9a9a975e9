import { createHash } from 'node:crypto';
import { Mutex } from '@palimpsest/foundation';
import type { DeadLetter, Message } from '@palimpsest/knowledge/ports';
import type { KafkaLink } from './kafka-link.ts';
import type { KafkaPublisher } from './kafka-publisher.ts';
import type { StoredMessage } from './message-codec.ts';
import { keptOffsets } from './offsets.ts';
import { readPartition } from './partition-reader.ts';

export type DeadLetterEntry = Readonly<{
  topic: string;
  group: string;
  partition: number;
  offset: number;
  message: StoredMessage;
  attempts: number;
  error: string;
}>;

/**
 * Dead letters: a compacted topic of one partition, keyed by their ids. A letter that was retried or discarded is a record without a
 * value. Reading keeps the records it has read, and continues after them.
 */
export class KafkaDeadLetters {
  readonly #link: KafkaLink;
  readonly #publisher: KafkaPublisher;
  readonly #topic: string;
  readonly #letters = new Map<string, DeadLetter>();
  #position = 0;
  readonly #mutex = new Mutex();

  constructor(link: KafkaLink, publisher: KafkaPublisher, topic: string) {
    this.#link = link;
    this.#publisher = publisher;
    this.#topic = topic;
  }

  /** Durable when it resolves. Two calls for one message write one letter: its id is derived from the message's offset. */
  async deadLetter({ topic, group, partition, offset, message, attempts, error }: DeadLetterEntry): Promise<void> {
    const { id: messageId, key, headers, body } = message;
    const id = createHash('sha256')
      .update(JSON.stringify([topic, group, partition, offset]))
      .digest('base64url')
      .slice(0, 22);
    const failedAt = new Date().toISOString();
    const letter: DeadLetter = { id, message: { id: messageId, key, headers, body }, topic, group, attempts, error, failedAt };
    const recordHeaders = {
      topic,
      group,
      attempts: String(attempts),
      error: error.slice(0, 1_000),
      'failed-at': failedAt,
      'message-id': messageId,
    };
    await this.#publisher.write(this.#topic, { key: id, value: JSON.stringify(letter), headers: recordHeaders });
  }

  /** Oldest first. */
  async all(): Promise<readonly DeadLetter[]> {
    await this.#read();
    return [...this.#letters.values()];
  }

  async find(id: string): Promise<DeadLetter | undefined> {
    await this.#read();
    return this.#letters.get(id);
  }

  async remove(id: string): Promise<void> {
    await this.#publisher.write(this.#topic, { key: id, value: null, headers: {} });
    await this.#read();
  }

  #read(): Promise<void> {
    return this.#mutex.run(() => this.#readOn());
  }

  async #readOn(): Promise<void> {
    const [{ low, high } = { low: 0, high: 0 }] = await keptOffsets(this.#link, this.#topic, 1);
    const from = Math.max(this.#position, low);
    await readPartition(this.#link, { topic: this.#topic, partition: 0, from, until: high }, ({ key, value }) => {
      const id = key?.toString() ?? '';
      if (value === null) this.#letters.delete(id);
      else this.#letters.set(id, JSON.parse(value.toString()));
    });
    this.#position = Math.max(high, from);
  }
}

export const messageOf = ({ message: { id, key, headers, body } }: DeadLetter): Message => ({ id, key, headers, body });
