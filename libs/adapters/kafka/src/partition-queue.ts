import type { Message as NewKafkaMessage } from 'kafkajs';
import { MAX_BYTES } from './message-codec.ts';

const MAX_MESSAGES = 5_000;

/** Messages that are sent to one partition together, their deadline, and their number of failures. */
export class Batch {
  readonly partition: number;
  readonly messages: NewKafkaMessage[] = [];
  readonly #sent = Promise.withResolvers<void>();
  readonly #over: () => void;
  bytes = 0;
  deadline = 0;
  failures = 0;

  constructor(partition: number, over: () => void) {
    this.partition = partition;
    this.#over = over;
  }

  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  /** It is stored or has failed. */
  settle(failure?: Error): void {
    this.#over();
    if (failure === undefined) this.#sent.resolve();
    else this.#sent.reject(failure);
  }
}

/** The messages to send to one partition, in the order of the calls; one batch at a time. */
export class PartitionQueue {
  readonly #partition: number;
  readonly #waiting: Batch[] = [];
  #underWay = false;

  constructor(partition: number) {
    this.#partition = partition;
  }

  add(message: NewKafkaMessage, bytes: number, deadline: number): Promise<void> {
    const batch = this.#roomFor(bytes);
    batch.messages.push(message);
    batch.bytes += bytes;
    batch.deadline = deadline;
    return batch.sent;
  }

  /** The next batch. Undefined while another one is in progress: that one must be settled first. */
  next(): Batch | undefined {
    if (this.#underWay) return undefined;
    const batch = this.#waiting.shift();
    this.#underWay = batch !== undefined;
    return batch;
  }

  #roomFor(bytes: number): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.messages.length < MAX_MESSAGES && last.bytes + bytes <= MAX_BYTES) return last;
    const batch = new Batch(this.#partition, () => (this.#underWay = false));
    this.#waiting.push(batch);
    return batch;
  }
}
