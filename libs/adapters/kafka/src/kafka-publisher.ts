import type { Message } from '@palimpsest/knowledge';
import { Partitioners, type Message as NewKafkaMessage, type PartitionMetadata, type Producer } from 'kafkajs';
import { translated } from './faults.ts';
import { RETRY, type KafkaLink } from './kafka-link.ts';
import type { KafkaBusSettings } from './kafka-options.ts';
import { bytesOf, idOf, onlyForOf, toKafka } from './message-codec.ts';
import { keptOffsets } from './offsets.ts';
import { readPartition } from './partition-reader.ts';
import { PartitionSender } from './partition-sender.ts';
import { PublishedIds } from './published-ids.ts';

const METADATA = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [] };

/** A topic that is published to. */
type Target = {
  readonly partitions: readonly PartitionMetadata[];
  readonly senders: Map<number, PartitionSender>;
  readonly ids: PublishedIds;
  /** Partitions whose latest ids are known here. */
  readonly known: Map<number, Promise<void>>;
};

export class KafkaPublisher {
  readonly #link: KafkaLink;
  readonly #settings: KafkaBusSettings;
  readonly #producer: Producer;
  readonly #closing = new AbortController();
  readonly #targets = new Map<string, Target>();
  /** murmur2 of the key, as every Kafka client chooses it. */
  readonly #choose = Partitioners.DefaultPartitioner();
  #connected: Promise<void> | undefined;

  constructor(link: KafkaLink, settings: KafkaBusSettings) {
    this.#link = link;
    this.#settings = settings;
    this.#producer = link.kafka.producer({ idempotent: false, allowAutoTopicCreation: false, createPartitioner: Partitioners.DefaultPartitioner, retry: RETRY });
  }

  /** @throws Unavailable */
  async publish(topic: string, partitions: number, messages: readonly Message[]): Promise<void> {
    const target = this.#target(topic, partitions);
    const placed = messages.map((message) => ({ message, partition: this.#partitionOf(topic, target, message) }));
    await Promise.all([this.#connect(), ...new Set(placed.map(({ partition }) => this.#latestIds(topic, target, partition)))]);
    const now = new Date().toISOString();
    await allOf(new Set(placed.map(({ message, partition }) => target.ids.once(message.id, () => this.#send(topic, target, toKafka(message, partition, now), bytesOf(message))))));
  }

  /** Publishes it again, whatever its id, for one group. */
  async putBack(topic: string, partitions: number, message: Message, group: string): Promise<void> {
    const target = this.#target(topic, partitions);
    await this.#connect();
    const record = toKafka(message, this.#partitionOf(topic, target, message), new Date().toISOString(), group);
    await this.#send(topic, target, record, bytesOf(message));
  }

  /** A record as it is, to a topic of one partition. */
  async write(topic: string, record: Readonly<{ key: string; value: string | null; headers: Readonly<Record<string, string>> }>): Promise<void> {
    const target = this.#target(topic, 1);
    await this.#connect();
    await this.#send(topic, target, { ...record, partition: 0 }, Buffer.byteLength(record.value ?? '') + 1_000);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connected?.then(() => this.#producer.disconnect()).catch(() => undefined);
  }

  #send(topic: string, target: Target, record: NewKafkaMessage, bytes: number): Promise<void> {
    return this.#sender(topic, target, record.partition ?? 0).send(record, bytes, this.#settings.publishTimeoutMs);
  }

  #sender(topic: string, { senders }: Target, partition: number): PartitionSender {
    const known = senders.get(partition) ?? new PartitionSender(this.#producer, topic, partition, this.#closing.signal);
    senders.set(partition, known);
    return known;
  }

  #target(topic: string, partitions: number): Target {
    const known = this.#targets.get(topic) ?? {
      partitions: Array.from({ length: partitions }, (_, partitionId) => ({ ...METADATA, partitionId })),
      senders: new Map(),
      ids: new PublishedIds(Math.max(1, this.#settings.idWindow * partitions)),
      known: new Map(),
    };
    this.#targets.set(topic, known);
    return known;
  }

  #partitionOf(topic: string, { partitions }: Target, { key, body }: Message): number {
    return this.#choose({ topic, partitionMetadata: [...partitions], message: { key, value: body } });
  }

  /** What this or another process published before this bus was opened. */
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

  #connect(): Promise<void> {
    this.#connected ??= this.#producer.connect().catch((error: unknown) => {
      throw translated('connect to publish', error);
    });
    this.#connected.catch(() => (this.#connected = undefined));
    return this.#connected;
  }
}

/** Waits for all, also when one fails: nothing is under way any more when the caller hears of it. */
const allOf = async (all: Iterable<Promise<void>>): Promise<void> => {
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === 'rejected') throw outcome.reason;
};
