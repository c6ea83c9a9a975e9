import { InvalidValue } from '@palimpsest/knowledge/errors';
import { position, START } from '@palimpsest/knowledge/values';
import type { Checkpoints, ConsumeOptions, Consumer, DeadLetter, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';
import type { StoredDeadLetter } from './bus-operations.ts';
import type { BusClock } from './bus-clock.ts';
import type { BusThread } from './bus-thread.ts';
import { consumeSettings } from '@palimpsest/contracts';
import { SqliteConsumer } from './sqlite-consumer.ts';

const DEFAULT_DEAD_LETTERS = 1_000;

type Group = Readonly<{ topic: string; members: Set<SqliteConsumer> }>;

/** Queues in one SQLite file that a worker thread owns. Consumers run on the thread that opened the bus. */
export class SqliteMessageBus implements MessageBus {
  private readonly thread: BusThread;
  private readonly clock: BusClock;
  private readonly random: () => number;
  private readonly groups = new Map<number, Group>();
  /** Stored in the same file as the messages, so that damage to its end cannot lose messages and keep the position that covers them. */
  readonly checkpoints: Checkpoints = {
    get: async (name) => {
      const stored = await this.thread.call('checkpoint', { name });
      return stored === undefined ? START : position(stored);
    },
    set: (name, reached) => this.thread.call('setCheckpoint', { name, position: String(reached) }),
    close: () => Promise.resolve(),
  };

  constructor(thread: BusThread, clock: BusClock, random: () => number) {
    this.thread = thread;
    this.clock = clock;
    this.random = random;
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    checkName('topic', topic);
    messages.forEach(checkMessage);
    if (messages.length === 0) return;
    await this.thread.call('publish', { topic, messages: messages.map(plain), now: this.clock.now() });
    this.wakeTopic(topic);
  }

  async subscribe(topic: string, group: string): Promise<void> {
    await this.groupNumber(topic, group);
  }

  async consume(options: ConsumeOptions, handler: Handler): Promise<Consumer> {
    const settings = consumeSettings(options);
    const { thread, clock, random } = this;
    const group = await this.groupNumber(options.topic, options.group);
    const members = this.membersOf(group, options.topic);
    const consumer = new SqliteConsumer({ thread, clock, random, topic: options.topic, group, settings, handler }, () => wake(members));
    members.add(consumer);
    consumer.wake();
    return {
      pause: () => consumer.pause(),
      resume: () => consumer.resume(),
      stop: async (graceMs) => {
        await consumer.stop(graceMs);
        members.delete(consumer);
      },
    };
  }

  async lag(topic: string, group: string): Promise<number> {
    return this.thread.call('lag', { topic, group });
  }

  /** Returns dead letters, oldest first. `limit` defaults to 1,000. */
  async deadLetters(filter: Readonly<{ topic?: string; group?: string; limit?: number }> = {}): Promise<readonly DeadLetter[]> {
    const { topic, group, limit = DEFAULT_DEAD_LETTERS } = filter;
    if (!Number.isInteger(limit) || limit < 0) throw new InvalidValue('limit', 'a whole number of 0 or more', limit);
    return (await this.thread.call('deadLetters', { topic, group, limit })).map(deadLetter);
  }

  async retryDeadLetter(id: string): Promise<boolean> {
    if (!isDeadLetterId(id)) return false;
    const topic = await this.thread.call('retryDeadLetter', { id: Number(id), now: this.clock.now() });
    if (topic === undefined) return false;
    this.wakeTopic(topic);
    return true;
  }

  async discardDeadLetter(id: string): Promise<boolean> {
    return isDeadLetterId(id) && this.thread.call('discardDeadLetter', { id: Number(id) });
  }

  /** Stops all consumers without a grace period; call their `stop` first to let handlers finish. */
  async close(): Promise<void> {
    const members = [...this.groups.values()].flatMap((group) => [...group.members]);
    await Promise.all(members.map((consumer) => consumer.stop(0)));
    await this.thread.close();
  }

  private groupNumber(topic: string, group: string): Promise<number> {
    checkName('topic', topic);
    checkName('group', group);
    return this.thread.call('subscribe', { topic, group });
  }

  private membersOf(group: number, topic: string): Set<SqliteConsumer> {
    const known = this.groups.get(group) ?? { topic, members: new Set() };
    this.groups.set(group, known);
    return known.members;
  }

  private wakeTopic(topic: string): void {
    for (const group of this.groups.values()) if (group.topic === topic) wake(group.members);
  }
}

const wake = (members: ReadonlySet<SqliteConsumer>): void => {
  for (const member of members) member.wake();
};

const checkName = (field: string, name: string): void => {
  if (typeof name !== 'string' || name === '') throw new InvalidValue(field, 'a non-empty name', name);
};

const checkMessage = (message: Message, i: number): void => {
  checkName(`messages[${i}].id`, message.id);
  checkName(`messages[${i}].key`, message.key);
  if (typeof message.body !== 'string') throw new InvalidValue(`messages[${i}].body`, 'JSON text', message.body);
};

/** Copies only the fields of a message: a caller's object may have more, and it is sent to the worker. */
const plain = ({ id, key, headers, body }: Message): Message => ({ id, key, headers: { ...headers }, body });

const isDeadLetterId = (id: string): boolean => /^[1-9]\d{0,14}$/.test(id);

const deadLetter = ({ id, failedAt, ...rest }: StoredDeadLetter): DeadLetter => ({
  id: String(id),
  ...rest,
  failedAt: new Date(failedAt).toISOString(),
});
