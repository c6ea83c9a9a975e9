import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ConsumeOptions, Consumer, DeadLetter, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';
import { GroupWorker } from './group-worker.ts';
import { KafkaConsumer } from './kafka-consumer.ts';
import { KafkaDeadLetters, messageOf } from './kafka-dead-letters.ts';
import { KafkaLink } from './kafka-link.ts';
import type { KafkaBusSettings } from './kafka-options.ts';
import { KafkaPublisher } from './kafka-publisher.ts';
import { KnownGroups } from './known-groups.ts';
import { checkMessage } from './message-codec.ts';
import { checkName, deadLetterTopic, topicName } from './names.ts';
import { consumeSettings } from '@palimpsest/contracts';
import { ensureTopic, partitionsOf, replicated } from './topics.ts';

const DEFAULT_DEAD_LETTERS = 1_000;

/** The message bus of the platform, on topics of a Kafka cluster. */
export class KafkaMessageBus implements MessageBus {
  readonly #link: KafkaLink;
  readonly #settings: KafkaBusSettings;
  readonly #publisher: KafkaPublisher;
  readonly #groups: KnownGroups;
  readonly #deadLetters: KafkaDeadLetters;
  readonly #partitions = new Map<string, Promise<number>>();
  readonly #workers = new Map<string, { worker: GroupWorker; consumers: Set<KafkaConsumer> }>();
  readonly #leaving = new Map<string, Promise<void>>();
  #closed: Promise<void> | undefined;

  constructor(settings: KafkaBusSettings) {
    this.#settings = settings;
    this.#link = new KafkaLink(settings);
    this.#publisher = new KafkaPublisher(this.#link, settings);
    this.#groups = new KnownGroups(this.#link);
    this.#deadLetters = new KafkaDeadLetters(this.#link, this.#publisher, deadLetterTopic(settings.prefix));
  }

  /** Creates the topic for dead letters. @throws Unavailable */
  async open(): Promise<void> {
    const name = deadLetterTopic(this.#settings.prefix);
    await ensureTopic(this.#link, { ...replicated(this.#settings), name, partitions: 1, compacted: true });
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    this.#checkOpen();
    const name = topicName(this.#settings.prefix, topic);
    messages.forEach(checkMessage);
    if (messages.length > 0) await this.#publisher.publish(name, await this.#ensure(name), messages);
  }

  async subscribe(topic: string, group: string): Promise<void> {
    this.#checkOpen();
    const name = topicName(this.#settings.prefix, topic);
    checkName('group', group);
    await this.#groups.register(name, await this.#ensure(name), group);
  }

  async consume(options: ConsumeOptions, handler: Handler): Promise<Consumer> {
    const settings = consumeSettings(options);
    const { topic, group } = options;
    await this.subscribe(topic, group);
    const name = topicName(this.#settings.prefix, topic);
    const place = { topic: name, partitions: await this.#ensure(name), group };
    const id = JSON.stringify([topic, group]);
    await this.#leaving.get(id);
    this.#checkOpen();
    const { worker, consumers } = this.#workers.get(id) ?? {
      worker: new GroupWorker(this.#link, this.#settings, place),
      consumers: new Set(),
    };
    this.#workers.set(id, { worker, consumers });
    const deadLetter: KafkaConsumer['context']['deadLetter'] = (entry) => this.#deadLetters.deadLetter(entry);
    const consumer = new KafkaConsumer(
      { topic, group, settings, handler, deadLetter, onFault: this.#settings.onFault },
      worker.wake,
      async (one) => {
        consumers.delete(one);
        if ((await worker.remove(one)) === 0) await this.#leave(id, worker);
      },
    );
    consumers.add(consumer);
    worker.add(consumer);
    return { pause: () => consumer.pause(), resume: () => consumer.resume(), stop: (graceMs) => consumer.stop(graceMs) };
  }

  async lag(topic: string, group: string): Promise<number> {
    this.#checkOpen();
    const name = topicName(this.#settings.prefix, topic);
    checkName('group', group);
    const partitions = await partitionsOf(this.#link, name);
    return partitions === 0 ? 0 : this.#groups.lag(name, partitions, group);
  }

  /** Oldest first; at most `limit`, default 1,000. */
  async deadLetters(filter: Readonly<{ topic?: string; group?: string; limit?: number }> = {}): Promise<readonly DeadLetter[]> {
    this.#checkOpen();
    const { topic, group, limit = DEFAULT_DEAD_LETTERS } = filter;
    if (!Number.isInteger(limit) || limit < 0) throw new InvalidValue('limit', 'a whole number, 0 or more', limit);
    const fits = (letter: DeadLetter): boolean => (topic ?? letter.topic) === letter.topic && (group ?? letter.group) === letter.group;
    return (await this.#deadLetters.all()).filter(fits).slice(0, limit);
  }

  async retryDeadLetter(id: string): Promise<boolean> {
    this.#checkOpen();
    const letter = await this.#deadLetters.find(id);
    if (letter === undefined) return false;
    const name = topicName(this.#settings.prefix, letter.topic);
    // in this order: a crash in between leaves an additional letter instead of losing a message
    await this.#publisher.putBack(name, await this.#ensure(name), messageOf(letter), letter.group);
    await this.#deadLetters.remove(id);
    return true;
  }

  async discardDeadLetter(id: string): Promise<boolean> {
    this.#checkOpen();
    if ((await this.#deadLetters.find(id)) === undefined) return false;
    await this.#deadLetters.remove(id);
    return true;
  }

  /** Stops all consumers without a grace period: call their `stop` first to let handlers finish. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([...this.#workers.values()].flatMap(({ consumers }) => [...consumers].map((consumer) => consumer.stop(0))));
      await Promise.all(this.#leaving.values());
      this.#publisher.close();
      await this.#link.close();
    })();
    return this.#closed;
  }

  /** Behaves as if the process had ended: sends nothing more and notifies no one. */
  async kill(): Promise<void> {
    this.#closed ??= Promise.resolve();
    this.#link.kill();
    await Promise.all([...this.#workers.values()].map(({ worker }) => worker.kill()));
    await Promise.all(this.#leaving.values());
    this.#publisher.close();
    await this.#link.close();
  }

  async #leave(id: string, worker: GroupWorker): Promise<void> {
    if (this.#workers.get(id)?.worker !== worker) return;
    this.#workers.delete(id);
    const left = worker.close();
    this.#leaving.set(id, left);
    await left.finally(() => this.#leaving.get(id) === left && this.#leaving.delete(id));
  }

  /** Creates the topic if necessary. Returns its number of partitions. */
  #ensure(name: string): Promise<number> {
    const known = this.#partitions.get(name);
    if (known !== undefined) return known;
    const { partitions, retentionMs } = this.#settings;
    const made = ensureTopic(this.#link, { ...replicated(this.#settings), name, partitions, retentionMs });
    this.#partitions.set(name, made);
    made.catch(() => this.#partitions.delete(name));
    return made;
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new Error('the message bus is closed');
  }
}
