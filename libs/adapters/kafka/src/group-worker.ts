import { pause } from '@palimpsest/foundation';
import { Assignment } from './assignment.ts';
import { backoffMs } from './backoff.ts';
import { GroupMembership } from './group-membership.ts';
import type { KafkaConsumer } from './kafka-consumer.ts';
import type { KafkaLink } from './kafka-link.ts';
import type { KafkaBusSettings } from './kafka-options.ts';
import { idOf, onlyForOf } from './message-codec.ts';
import { groupName } from './names.ts';
import { ledgerOf } from './known-groups.ts';
import { committedOffsets, keptOffsets } from './offsets.ts';
import { readPartition } from './partition-reader.ts';
import { PartitionWork } from './partition-work.ts';
import { RecentIds } from './recent-ids.ts';

/** How long a batch may wait to fill up, in milliseconds. */
const LINGER_MS = 5;
/** Additional ids to remember, for messages in progress. */
const UNDER_WAY = 40_000;

export type GroupPlace = Readonly<{ topic: string; partitions: number; group: string }>;

/** All work of this process for a group on a topic: one member of the Kafka group, and the consumers that share its work. */
export class GroupWorker {
  readonly #link: KafkaLink;
  readonly #settings: KafkaBusSettings;
  readonly #place: GroupPlace;
  readonly #groupId: string;
  readonly #consumers = new Set<KafkaConsumer>();
  readonly #membership: GroupMembership;
  readonly #recent = new Map<number, RecentIds>();
  #assignment: Assignment | undefined;
  #turn: NodeJS.Immediate | undefined;
  #linger: NodeJS.Timeout | undefined;
  #waitedSince: number | undefined;

  constructor(link: KafkaLink, settings: KafkaBusSettings, place: GroupPlace) {
    this.#link = link;
    this.#settings = settings;
    this.#place = place;
    this.#groupId = groupName(place.topic, place.group);
    this.#membership = new GroupMembership(link, place.topic, this.#groupId, {
      joined: (partitions) => this.#joined(partitions),
      release: async () => this.#assignment?.retire(settings.graceMs),
      lost: () => this.#assignment?.lose(),
      batch: async (batch, alive) => this.#assignment?.intake(batch, alive),
    });
    this.#membership.start();
  }

  add(consumer: KafkaConsumer): void {
    this.#consumers.add(consumer);
    this.wake();
  }

  /** Resolves when the work of the consumer is committed. Returns how many consumers are left. */
  async remove(consumer: KafkaConsumer): Promise<number> {
    this.#consumers.delete(consumer);
    await this.#assignment?.flush();
    this.wake();
    return this.#consumers.size;
  }

  async close(): Promise<void> {
    await this.#assignment?.retire(0);
    await this.#membership.leave();
    // a rebalance in progress may have assigned partitions once more
    this.#assignment?.lose();
    this.#stopTurns();
  }

  /** Behaves as if the process had ended. */
  async kill(): Promise<void> {
    for (const consumer of this.#consumers) consumer.kill();
    this.#assignment?.lose();
    await this.#membership.kill();
    this.#stopTurns();
  }

  readonly wake = (): void => {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.#handOut();
    });
  };

  #joined(partitions: readonly number[]): void {
    this.#assignment?.lose();
    this.#assignment = new Assignment(partitions, this.#membership, {
      load: (mine, signal) => this.#load(mine, signal),
      oldest: async (partition) => (await keptOffsets(this.#link, this.#place.topic, this.#place.partitions))[partition]?.low ?? 0,
      wake: this.wake,
      ahead: () => [...this.#consumers].reduce((sum, { appetite }) => sum + appetite, 0),
    });
  }

  #handOut(): void {
    const assignment = this.#assignment;
    if (assignment?.isRunning !== true) return;
    for (let consumer = this.#freest(); consumer !== undefined; consumer = this.#freest()) {
      const { batchSize } = consumer.context.settings;
      // so that a fast consumer does not wait for a commit: others may be ready while it runs
      const onlyNoted = consumer.appetite > 0;
      if (this.#waitsForMore(assignment.readyKeys(onlyNoted), batchSize)) return;
      const taken = assignment.take(batchSize, onlyNoted);
      if (taken.entries.length === 0) return;
      consumer.handle(assignment, taken);
    }
  }

  #freest(): KafkaConsumer | undefined {
    return [...this.#consumers]
      .filter(({ free }) => free > 0)
      .reduce<KafkaConsumer | undefined>((best, one) => (best === undefined || one.free > best.free ? one : best), undefined);
  }

  /** An incomplete batch waits a little, once. */
  #waitsForMore(readyKeys: number, batchSize: number): boolean {
    if (readyKeys === 0 || readyKeys >= batchSize) return ((this.#waitedSince = undefined), false);
    this.#waitedSince ??= Date.now();
    const rest = this.#waitedSince + LINGER_MS - Date.now();
    if (rest <= 0) return ((this.#waitedSince = undefined), false);
    clearTimeout(this.#linger);
    this.#linger = setTimeout(this.wake, rest);
    return true;
  }

  async #load(partitions: readonly number[], signal: AbortSignal): Promise<readonly PartitionWork[]> {
    for (let failures = 0; ; failures += 1)
      try {
        const { topic, partitions: all, group } = this.#place;
        const committed = await committedOffsets(this.#link, this.#groupId, topic, all);
        const kept = await keptOffsets(this.#link, topic, all);
        return await Promise.all(
          partitions.map(async (partition) => {
            const ledger = ledgerOf({ kept: kept[partition] ?? { low: 0, high: 0 }, committed: committed[partition] });
            return new PartitionWork(partition, group, ledger, await this.#idsBefore(partition, kept[partition]?.low ?? 0, ledger.low));
          }),
        );
      } catch (error) {
        if (signal.aborted) throw error;
        this.#link.settings.onFault(error instanceof Error ? error : new Error(String(error)));
        await pause(backoffMs(failures), signal);
      }
  }

  /** The ids of the messages before `offset`, including those from an earlier membership. */
  async #idsBefore(partition: number, low: number, offset: number): Promise<RecentIds> {
    const { topic } = this.#place;
    const recent = this.#recent.get(partition) ?? new RecentIds(this.#settings.idWindow + UNDER_WAY);
    this.#recent.set(partition, recent);
    const from = Math.max(low, offset - this.#settings.idWindow, recent.upTo);
    await readPartition(this.#link, { topic, partition, from, until: offset }, (message, at) => {
      if (onlyForOf(message) === undefined) recent.isRepeated(idOf(message), at);
    });
    return recent;
  }

  #stopTurns(): void {
    clearImmediate(this.#turn);
    clearTimeout(this.#linger);
  }
}
