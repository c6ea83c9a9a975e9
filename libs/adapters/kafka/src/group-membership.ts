import { pause } from '@palimpsest/contracts';
import { PartitionAssigners, type Batch, type Broker, type Cluster, type Consumer, type PartitionAssigner } from 'kafkajs';
import { backoffMs, endsWithin } from './backoff.ts';
import { translated } from './faults.ts';
import { RETRY, type KafkaLink } from './kafka-link.ts';

/** How long a fetch waits for messages, in milliseconds; also how soon a partition that was paused is looked at again. */
const FETCH_WAIT_MS = 250;

export type MembershipHooks = Readonly<{
  /** These partitions are this member's now, and no others. */
  joined(partitions: readonly number[]): void;
  /** Partitions may move: awaited before this member lets the others go on. Not called before the first `joined`. */
  release(): Promise<void>;
  /** The group goes on without this member: what it had may be somebody else's already. */
  lost(): void;
  /** Fetched messages, oldest first; the next ones come when it resolves. `alive` is to be called while it takes long. */
  batch(batch: Batch, alive: () => Promise<void>): Promise<void>;
}>;

type Beating = Broker & { heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown> };

/**
 * One member of a consumer group on one topic, until it leaves: joins, and again after every fault, for ever.
 *
 * kafkajs joins anew as soon as it hears of a rebalance, and offers nothing to wait for before it does. But whenever it
 * joins, it first asks its cluster for the group's coordinator; and partition assigners are given that cluster. There the
 * member holds kafkajs up until its work is let go of, and sends the heartbeats meanwhile.
 */
export class GroupMembership {
  readonly #link: KafkaLink;
  readonly #topic: string;
  readonly #groupId: string;
  readonly #hooks: MembershipHooks;
  readonly #leaving = new AbortController();
  #consumer: Consumer | undefined;
  #holds = false;
  #failures = 0;
  #generation: { memberId: string; groupGenerationId: number } | undefined;
  #joining = Promise.withResolvers<void>();
  #over: Promise<void> = Promise.resolve();

  constructor(link: KafkaLink, topic: string, groupId: string, hooks: MembershipHooks) {
    this.#link = link;
    this.#topic = topic;
    this.#groupId = groupId;
    this.#hooks = hooks;
  }

  start(): void {
    this.#over = this.#takePart();
  }

  /** @throws whatever kafkajs throws when it cannot be done */
  async commit(partitions: readonly Readonly<{ partition: number; offset: string; metadata: string }>[]): Promise<void> {
    await this.#consumer?.commitOffsets(partitions.map((one) => ({ topic: this.#topic, ...one })));
  }

  /** No effect while this is not a member. */
  fetchMore(partition: number, more: boolean): void {
    const partitions = [{ topic: this.#topic, partitions: [partition] }];
    quietly(() => (more ? this.#consumer?.resume(partitions) : this.#consumer?.pause(partitions)));
  }

  seek(partition: number, offset: number): void {
    quietly(() => this.#consumer?.seek({ topic: this.#topic, partition, offset: String(offset) }));
  }

  /** What was held must have been let go of before. */
  async leave(): Promise<void> {
    // who leaves while joining is not gone: the group would wait for it until its session is over
    await endsWithin(this.#joining.promise, this.#leaving.signal.aborted ? 0 : this.#link.settings.sessionTimeoutMs);
    this.#leaving.abort();
    await this.#over;
  }

  /** As the end of the process would; to be used with a link that was killed. */
  async kill(): Promise<void> {
    this.#leaving.abort();
    await this.#over;
  }

  async #takePart(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await this.#takePartOnce().catch((error: unknown) => this.#link.settings.onFault(translated(`group ${this.#groupId}`, error)));
      this.#endHolding();
      if (!signal.aborted) await pause(backoffMs(this.#failures++), signal);
    }
  }

  /** Resolves when this leaves; rejects when kafkajs gives up. */
  async #takePartOnce(): Promise<void> {
    const { sessionTimeoutMs, rebalanceTimeoutMs } = this.#link.settings;
    const consumer = this.#link.kafka.consumer({
      groupId: this.#groupId, sessionTimeout: sessionTimeoutMs, rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: this.#heartbeatMs, maxWaitTimeInMs: FETCH_WAIT_MS, allowAutoTopicCreation: false,
      partitionAssigners: [this.#assigner], retry: { ...RETRY, restartOnFailure: async () => false },
    });
    this.#consumer = consumer;
    const { signal } = this.#leaving;
    try {
      const ended = new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      });
      ended.catch(() => undefined);
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment[this.#topic] ?? []));
      consumer.on(consumer.events.HEARTBEAT, ({ payload }) => void (this.#generation = payload));
      await consumer.connect();
      await consumer.subscribe({ topics: [this.#topic], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatch: ({ batch, heartbeat }) => this.#hooks.batch(batch, heartbeat) });
      await ended;
    } finally {
      await consumer.disconnect().catch(() => undefined);
    }
  }

  get #heartbeatMs(): number {
    return Math.max(100, Math.min(3_000, Math.floor(this.#link.settings.sessionTimeoutMs / 5)));
  }

  readonly #assigner: PartitionAssigner = (config) => {
    const { cluster } = config;
    const find = cluster.findGroupCoordinator.bind(cluster);
    cluster.findGroupCoordinator = async (group) => {
      if (this.#holds) await this.#release(find);
      return find(group);
    };
    return PartitionAssigners.roundRobin(config);
  };

  #joined(partitions: readonly number[]): void {
    this.#holds = true;
    this.#failures = 0;
    this.#joining.resolve();
    this.#hooks.joined(partitions);
  }

  async #release(find: Cluster['findGroupCoordinator']): Promise<void> {
    const beating = new AbortController();
    void this.#beat(find, beating.signal);
    await this.#hooks.release();
    beating.abort();
    this.#holds = false;
  }

  /** Stays a member while the others wait for it to join anew. */
  async #beat(find: Cluster['findGroupCoordinator'], over: AbortSignal): Promise<void> {
    const groupId = this.#groupId;
    while (!over.aborted) {
      if (this.#generation !== undefined) {
        const request = { groupId, ...this.#generation };
        // its answer is always that the group rebalances
        await find({ groupId }).then((coordinator) => (coordinator as Beating).heartbeat(request)).catch(() => undefined);
      }
      await pause(this.#heartbeatMs, over);
    }
  }

  #endHolding(): void {
    this.#consumer = undefined;
    if (this.#holds) this.#hooks.lost();
    this.#holds = false;
  }
}

/** kafkajs refuses when its consumer has just ended; there is nothing to be done then. */
const quietly = (act: () => void): void => {
  try {
    act();
  } catch {
    return;
  }
};
