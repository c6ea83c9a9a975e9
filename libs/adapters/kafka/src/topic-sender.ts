import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Cluster, Message as NewKafkaMessage } from 'kafkajs';
import { pause } from '@palimpsest/foundation';
import { backoffMs } from './backoff.ts';
import { translated } from './faults.ts';
import type { KafkaLink } from './kafka-link.ts';
import { PartitionQueue, type Batch } from './partition-queue.ts';
import { freshLeaders, leadersOf, produce } from './produce.ts';

/** Maximum size of one request; a broker accepts 100 MB. */
const MAX_BYTES = 8_000_000;

/**
 * Sends to a topic, one batch per partition at a time. Messages that arrive in the meantime go with the next batch, so that the order
 * is that of the calls, also after a retry. Batches for one leader share requests. If a request fails, each batch of it is
 * retried on its own until it is stored, so that a faulty partition does not affect the others. There are no producer ids: a batch that
 * is stored twice has the same message ids, and consumers drop the duplicates.
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

  /** Resolves when it is on the disks of all in-sync replicas. @throws Unavailable if that does not happen by `deadline`, ms since 1970: it may still be sent */
  send(partition: number, message: NewKafkaMessage, bytes: number, deadline: number): Promise<void> {
    const queue = this.#queues.get(partition) ?? new PartitionQueue(partition);
    this.#queues.set(partition, queue);
    this.#sendSoon();
    return queue.add(message, bytes, deadline);
  }

  #sendSoon(): void {
    if (this.#turn) return;
    this.#turn = true;
    // messages of the same tick are sent together
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
      for (const batch of batches) void this.#failed(batch, this.#translated(error));
    }
  }

  async #sendTogether(cluster: Cluster, leader: string, batches: readonly Batch[]): Promise<void> {
    try {
      await produce(cluster, leader, this.#topic, batches);
      for (const batch of batches) batch.settle();
      this.#sendSoon();
    } catch (error) {
      if (!this.#closed.aborted) await freshLeaders(cluster, error);
      // the client reports the error of one partition only; which one shows when each batch is sent on its own
      const fault = this.#translated(error);
      const each = batches.length > 1 && !mayRetry(fault) ? new Unavailable(fault.message, { cause: error }) : fault;
      for (const batch of batches) void this.#failed(batch, each);
    }
  }

  async #failed(batch: Batch, failure: Error): Promise<void> {
    if (!mayRetry(failure) || this.#closed.aborted || Date.now() >= batch.deadline) {
      batch.settle(failure);
      return this.#sendSoon();
    }
    await pause(backoffMs(batch.failures, 50, 1_000), this.#closed);
    batch.failures += 1;
    await this.#sendEach([batch]);
  }

  #translated(error: unknown): Error {
    return translated(`publish to ${this.#topic}`, error);
  }
}

const mayRetry = (failure: Error): boolean => 'retryable' in failure && failure.retryable === true;

/** Two requests, so that the leader stores one while the other is written, or as many as the size requires. */
const inRequests = (batches: readonly Batch[]): readonly (readonly Batch[])[] => {
  const max = Math.max(2, Math.ceil(batches.length / 2));
  const requests: Batch[][] = [];
  let bytes = 0;
  for (const batch of batches) {
    const last = requests.at(-1);
    const fits = last !== undefined && last.length < max && bytes + batch.bytes <= MAX_BYTES;
    bytes = fits ? bytes + batch.bytes : batch.bytes;
    if (fits) last.push(batch);
    else requests.push([batch]);
  }
  return requests;
};
