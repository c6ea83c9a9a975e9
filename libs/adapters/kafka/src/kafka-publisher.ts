import type { Message } from '@palimpsest/knowledge/ports';
import { Partitioners, type PartitionMetadata } from 'kafkajs';
import type { KafkaLink } from './kafka-link.ts';
import type { KafkaBusSettings } from './kafka-options.ts';
import { bytesOf, idOf, onlyForOf, toKafka } from './message-codec.ts';
import { keptOffsets } from './offsets.ts';
import { readPartition } from './partition-reader.ts';
import { PublishedIds } from './published-ids.ts';
import { TopicSender } from './topic-sender.ts';

const METADATA = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [] };

/** A topic to publish to. */
type Target = {
  readonly partitions: PartitionMetadata[];
  readonly sender: TopicSender;
  readonly ids: PublishedIds;
  /** Partitions whose latest ids were read. */
  readonly known: Map<number, Promise<void>>;
};

export class KafkaPublisher {
  readonly #link: KafkaLink;
  readonly #settings: KafkaBusSettings;
  readonly #closing = new AbortController();
  readonly #targets = new Map<string, Target>();
  /** murmur2 of the key, like every Kafka client. */
  readonly #choose = Partitioners.DefaultPartitioner();

  constructor(link: KafkaLink, settings: KafkaBusSettings) {
    this.#link = link;
    this.#settings = settings;
  }

  /** @throws Unavailable */
  async publish(topic: string, partitions: number, messages: readonly Message[]): Promise<void> {
    const target = this.#target(topic, partitions);
    const places = messages.map((message) => this.#partitionOf(topic, target, message));
    await Promise.all([this.#link.publishing(), ...[...new Set(places)].map((partition) => this.#latestIds(topic, target, partition))]);
    const [now, deadline] = [new Date().toISOString(), this.#deadline];
    const send = (message: Message, i: number): Promise<void> => {
      const partition = places[i] ?? 0;
      return target.sender.send(partition, toKafka(message, partition, now), bytesOf(message), deadline);
    };
    await allOf(target.ids.once(messages, send));
  }

  /** Publishes the message again for one group, even if its id is known. */
  async putBack(topic: string, partitions: number, message: Message, group: string): Promise<void> {
    const target = this.#target(topic, partitions);
    await this.#link.publishing();
    const partition = this.#partitionOf(topic, target, message);
    await target.sender.send(partition, toKafka(message, partition, new Date().toISOString(), group), bytesOf(message), this.#deadline);
  }

  /** Writes a record unchanged to a topic of one partition. */
  async write(
    topic: string,
    record: Readonly<{ key: string; value: string | null; headers: Readonly<Record<string, string>> }>,
  ): Promise<void> {
    const { sender } = this.#target(topic, 1);
    await this.#link.publishing();
    await sender.send(0, record, Buffer.byteLength(record.value ?? '') + 1_000, this.#deadline);
  }

  /** Pending messages fail. The owner of the link closes its connections. */
  close(): void {
    this.#closing.abort();
  }

  get #deadline(): number {
    return Date.now() + this.#settings.publishTimeoutMs;
  }

  #target(topic: string, partitions: number): Target {
    const known = this.#targets.get(topic) ?? {
      partitions: Array.from({ length: partitions }, (_, partitionId) => ({ ...METADATA, partitionId })),
      sender: new TopicSender(this.#link, topic, this.#closing.signal),
      ids: new PublishedIds(Math.max(1, this.#settings.idWindow * partitions)),
      known: new Map(),
    };
    this.#targets.set(topic, known);
    return known;
  }

  #partitionOf(topic: string, { partitions }: Target, { key, body }: Message): number {
    return this.#choose({ topic, partitionMetadata: partitions, message: { key, value: body } });
  }

  /** Reads the ids that this or another process published before this bus was opened. */
  #latestIds(topic: string, target: Target, partition: number): Promise<void> {
    const known = target.known.get(partition);
    if (known !== undefined) return known;
    const reading = this.#readLatestIds(topic, target, partition);
    target.known.set(partition, reading);
    reading.catch(() => target.known.delete(partition));
    return reading;
  }

  async #readLatestIds(topic: string, target: Target, partition: number): Promise<void> {
    const { low, high } = (await keptOffsets(this.#link, topic, target.partitions.length))[partition] ?? { low: 0, high: 0 };
    const from = Math.max(low, high - this.#settings.idWindow);
    await readPartition(this.#link, { topic, partition, from, until: high }, (message) => {
      if (onlyForOf(message) === undefined) target.ids.seen(idOf(message));
    });
  }
}

/** Waits for all, also after a failure: when the caller sees the error, nothing is in progress any more. */
const allOf = async (all: Iterable<Promise<void>>): Promise<void> => {
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === 'rejected') throw outcome.reason;
};
