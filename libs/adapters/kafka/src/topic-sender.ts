import { Unavailable } from '@palimpsest/knowledge';
import type { Cluster, Message as NewKafkaMessage } from 'kafkajs';
import { pause } from '@palimpsest/contracts';
import { backoffMs } from './backoff.ts';
import { translated } from './faults.ts';
import type { KafkaLink } from './kafka-link.ts';
import { PartitionQueue, type Batch } from './partition-queue.ts';
import { freshLeaders, leadersOf, produce } from './produce.ts';

/** Of one request; a broker takes 100 MB. */
const MOST_BYTES = 8_000_000;

/**
 * Sends to a topic: to each partition one batch at a time, and what comes meanwhile goes with the next one, so that the order
 * is that of asking, also when a batch is sent again. Batches for one leader share requests. Where one fails, each of it is sent
 * again by itself until it is stored, so that a partition in trouble troubles no other. There are no producer ids: a batch that
 * is stored twice has the same message ids, which consumers drop.
 */
export class TopicSender {
  readonly #link: KafkaLink;
  readonly #topic: string;
  readonly #closed: AbortSignal;
  readonly #queues = new Map<number, PartitionQueue>();
  #turn = false;

  constructor(link: KafkaLink, topic: string, closed: AbortSignal) {
    this.#link = link;
    this.#topic = topic;
    this.#closed = closed;
  }

  /** Resolves when it is on the disks of all in-sync replicas. @throws Unavailable when that is not so by `deadline`, ms since 1970: it may be sent all the same */
  send(partition: number, message: NewKafkaMessage, bytes: number, deadline: number): Promise<void> {
    const queue = this.#queues.get(partition) ?? new PartitionQueue(partition);
    this.#queues.set(partition, queue);
    this.#sendSoon();
    return queue.add(message, bytes, deadline);
  }

  #sendSoon(): void {
    if (this.#turn) return;
    this.#turn = true;
    // what is asked for in the same turn goes together
    setImmediate(() => {
      this.#turn = false;
      const batches = [...this.#queues.values()].flatMap((queue) => queue.next() ?? []);
      if (batches.length > 0) void this.#sendEach(batches);
    });
  }

  async #sendEach(batches: readonly Batch[]): Promise<void> {
    try {
      const cluster = await this.#link.publishing();
      const leaders = await leadersOf(cluster, this.#topic, batches);
      for (const [leader, led] of leaders) for (const some of inRequests(led)) void this.#sendTogether(cluster, leader, some);
    } catch (error) {
      for (const batch of batches) void this.#failed(batch, this.#told(error));
    }
  }

  async #sendTogether(cluster: Cluster, leader: string, batches: readonly Batch[]): Promise<void> {
    try {
      await produce(cluster, leader, this.#topic, batches);
      for (const batch of batches) batch.settle();
      this.#sendSoon();
    } catch (error) {
      if (!this.#closed.aborted) await freshLeaders(cluster, error);
      // the client tells one partition's error only: whose it is shows when each is sent alone
      const told = batches.length > 1 ? new Unavailable(this.#told(error).message, { cause: error }) : this.#told(error);
      for (const batch of batches) void this.#failed(batch, told);
    }
  }

  async #failed(batch: Batch, failure: Error): Promise<void> {
    const mayRetry = 'retryable' in failure && failure.retryable === true;
    if (!mayRetry || this.#closed.aborted || Date.now() >= batch.deadline) {
      batch.settle(failure);
      return this.#sendSoon();
    }
    await pause(backoffMs(batch.failures, 50, 1_000), this.#closed);
    batch.failures += 1;
    await this.#sendEach([batch]);
  }

  #told(error: unknown): Error {
    return translated(`publish to ${this.#topic}`, error);
  }
}

/** Two, so that the leader stores the one while the other is written, or as many as their bytes make necessary. */
const inRequests = (batches: readonly Batch[]): readonly (readonly Batch[])[] => {
  const most = Math.max(2, Math.ceil(batches.length / 2));
  const requests: Batch[][] = [];
  let bytes = 0;
  for (const batch of batches) {
    const last = requests.at(-1);
    const fits = last !== undefined && last.length < most && bytes + batch.bytes <= MOST_BYTES;
    bytes = fits ? bytes + batch.bytes : batch.bytes;
    if (fits) last.push(batch);
    else requests.push([batch]);
  }
  return requests;
};
