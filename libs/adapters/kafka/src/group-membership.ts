import { pause } from '@palimpsest/foundation';
import { PartitionAssigners, type Batch, type Broker, type Cluster, type Consumer, type PartitionAssigner } from 'kafkajs';
import { backoffMs, endsWithin } from './backoff.ts';
import { translated } from './faults.ts';
import { RETRY, type KafkaLink } from './kafka-link.ts';

/** How long a fetch waits for messages, in milliseconds; also the interval at which a paused partition is checked again. */
const FETCH_WAIT_MS = 250;

export type MembershipHooks = Readonly<{
  /** From now on this member holds these partitions, and no others. */
  joined(partitions: readonly number[]): void;
  /** Partitions may move. This member waits for it before it lets the rebalance continue. Not called before the first `joined`. */
  release(): Promise<void>;
  /** The group has continued without this member: other processes may already have its partitions. */
  lost(): void;
  /** Fetched messages, oldest first; the next ones follow when it resolves. `alive` must be called regularly if that takes long. */
  batch(batch: Batch, alive: () => Promise<void>): Promise<void>;
}>;

type Beating = Broker & { heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown> };

/**
 * One member of a consumer group on one topic, until it leaves. It joins, and joins again after every fault.
 *
 * kafkajs rejoins as soon as it learns of a rebalance, and offers no hook to delay that. But whenever it
 * joins, it first asks its cluster for the group's coordinator, and partition assigners receive that cluster. There the
 * member delays kafkajs until it has released its work, and sends the heartbeats in the meantime.
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

  /** @throws any error of kafkajs when the commit fails */
  async commit(partitions: readonly Readonly<{ partition: number; offset: string; metadata: string }>[]): Promise<void> {
    await this.#consumer?.commitOffsets(partitions.map((one) => ({ topic: this.#topic, ...one })));
  }

  /** Has no effect while this is not a member. */
  fetchMore(partition: number, more: boolean): void {
    const partitions = [{ topic: this.#topic, partitions: [partition] }];
    quietly(() => (more ? this.#consumer?.resume(partitions) : this.#consumer?.pause(partitions)));
  }

  seek(partition: number, offset: number): void {
    quietly(() => this.#consumer?.seek({ topic: this.#topic, partition, offset: String(offset) }));
  }

  /** The partitions must have been released before. */
  async leave(): Promise<void> {
    // a member that leaves while it joins is not gone: the group would wait for it until its session times out
    await endsWithin(this.#joining.promise, this.#leaving.signal.aborted ? 0 : this.#link.settings.sessionTimeoutMs);
    this.#leaving.abort();
    await this.#over;
  }

  /** Behaves as if the process had ended; for a link that was killed. */
  async kill(): Promise<void> {
    this.#leaving.abort();
    await this.#over;
  }

  async #takePart(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await this.#joinOnce().catch((error: unknown) => this.#link.settings.onFault(translated(`group ${this.#groupId}`, error)));
      this.#endHolding();
      if (!signal.aborted) await pause(backoffMs(this.#failures++), signal);
    }
  }

  /** Resolves when this leaves; rejects when kafkajs stops retrying. */
  async #joinOnce(): Promise<void> {
    const { sessionTimeoutMs, rebalanceTimeoutMs } = this.#link.settings;
    const consumer = this.#link.kafka.consumer({
      groupId: this.#groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: this.#heartbeatMs,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      partitionAssigners: [this.#assigner],
      retry: { ...RETRY, restartOnFailure: async () => false },
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

  /** Stays a member while the others wait for it to rejoin. */
  async #beat(find: Cluster['findGroupCoordinator'], over: AbortSignal): Promise<void> {
    const groupId = this.#groupId;
    while (!over.aborted) {
      if (this.#generation !== undefined) {
        const request = { groupId, ...this.#generation };
        // it always returns that the group is rebalancing
        await find({ groupId })
          .then((coordinator) => (coordinator as Beating).heartbeat(request))
          .catch(() => undefined);
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

/** kafkajs throws when its consumer has just ended; then there is nothing to do. */
const quietly = (act: () => void): void => {
  try {
    act();
  } catch {
    return;
  }
};
