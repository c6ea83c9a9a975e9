import { Unavailable } from '@palimpsest/knowledge';
import type { Message as NewKafkaMessage, Producer } from 'kafkajs';
import { pause } from '@palimpsest/contracts';
import { backoffMs } from './backoff.ts';
import { translated } from './faults.ts';
import { MOST_BYTES } from './message-codec.ts';

/** Messages that go in one request, and when to give up. */
type Batch = { readonly messages: NewKafkaMessage[]; bytes: number; deadline: number; readonly sent: PromiseWithResolvers<void> };

const BROKER_TIMEOUT_MS = 8_000;
const MOST_MESSAGES = 5_000;

/**
 * Sends to one partition, one batch at a time: what comes meanwhile goes with the next one, and the order is that of asking,
 * also when a batch is sent again. kafkajs loses acknowledged messages when one `send` goes to several partitions and a
 * leader dies (kafkajs issue 1303); so each `send` is for one partition, and counts only when the answer names it.
 * The producer is not kafkajs's idempotent one: after a batch that failed, that one gives the next batch the same numbers,
 * and the broker drops it as a repeat. A batch that is sent twice has the same message ids, which consumers drop.
 */
export class PartitionSender {
  readonly #producer: Producer;
  readonly #topic: string;
  readonly #partition: number;
  readonly #closed: AbortSignal;
  readonly #waiting: Batch[] = [];
  #sending = false;

  constructor(producer: Producer, topic: string, partition: number, closed: AbortSignal) {
    this.#producer = producer;
    this.#topic = topic;
    this.#partition = partition;
    this.#closed = closed;
  }

  /** Resolves when it is on the disks of all in-sync replicas. @throws Unavailable when that is not so in time: it may be sent all the same */
  send(message: NewKafkaMessage, bytes: number, timeoutMs: number): Promise<void> {
    const batch = this.#roomFor(bytes);
    batch.messages.push(message);
    batch.bytes += bytes;
    batch.deadline = Date.now() + timeoutMs;
    if (!this.#sending) {
      this.#sending = true;
      // what is asked for in the same turn goes together
      setImmediate(() => void this.#sendAll());
    }
    return batch.sent.promise;
  }

  #roomFor(bytes: number): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.messages.length < MOST_MESSAGES && last.bytes + bytes <= MOST_BYTES) return last;
    const batch = { messages: [], bytes: 0, deadline: 0, sent: Promise.withResolvers<void>() };
    this.#waiting.push(batch);
    return batch;
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#waiting.shift(); batch !== undefined; batch = this.#waiting.shift()) await this.#sendBatch(batch);
    this.#sending = false;
  }

  async #sendBatch({ messages, deadline, sent }: Batch): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const failure = await this.#attempt(messages).catch((error: unknown) => translated(`publish to ${this.#topic}`, error));
      if (failure === undefined) return sent.resolve();
      const mayRetry = 'retryable' in failure && failure.retryable === true;
      if (!mayRetry || this.#closed.aborted || Date.now() >= deadline) return sent.reject(failure);
      await pause(backoffMs(failures, 50, 1_000), this.#closed);
    }
  }

  async #attempt(messages: NewKafkaMessage[]): Promise<Error | undefined> {
    const answers = await this.#producer.send({ topic: this.#topic, acks: -1, timeout: BROKER_TIMEOUT_MS, messages });
    const written = answers.some(
      ({ topicName, partition, errorCode, baseOffset }) =>
        topicName === this.#topic && partition === this.#partition && errorCode === 0 && Number(baseOffset ?? -1) >= 0,
    );
    return written ? undefined : new Unavailable(`publish to ${this.#topic}: the answer does not name partition ${this.#partition}`);
  }
}
