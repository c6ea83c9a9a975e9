/** `id` makes publishing idempotent within a topic. Messages with the same `key` are handled sequentially, in order. */
export type Message = Readonly<{
  id: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  /** UTF-8 JSON text. */
  body: string;
}>;

/** `attempt` starts at 1. `signal` aborts when the consumer stops or the lease is lost. */
export type Delivery = Message & Readonly<{ topic: string; attempt: number; publishedAt: string; signal: AbortSignal }>;

/** Thrown by a handler: do not retry; the message becomes a dead letter. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Thrown by a handler: retry after at least `afterMs` milliseconds (for example because of a rate limit). */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly afterMs: number;
  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

export type ConsumeOptions = Readonly<{
  topic: string;
  /** Each group gets every message once; its members share them. */
  group: string;
  /** Maximum deliveries per handler call; default 1. A batch never contains two messages with the same key. */
  batchSize?: number;
  /** Maximum concurrent handler calls; default 1. */
  concurrency?: number;
  /** A delivery that is not settled within this time is delivered again; default 60,000. The lease is renewed while the handler runs. */
  leaseMs?: number;
  /** Total attempts before a message becomes a dead letter; default 4. */
  maxAttempts?: number;
  /** Full jitter: `uniform(0, min(capMs, baseMs * 2^attempt))`; default 2,000 and 60,000. */
  backoff?: Readonly<{ baseMs: number; capMs: number }>;
}>;

/** Settles the whole batch when it resolves. If it rejects, each delivery of the batch is retried or becomes a dead letter. */
export type Handler = (deliveries: readonly Delivery[]) => Promise<void>;

export interface Consumer {
  pause(): void;
  resume(): void;
  /** Takes no more messages, waits for running handlers (their signal aborts after `graceMs`), and returns unsettled messages. */
  stop(graceMs?: number): Promise<void>;
}

export type DeadLetter = Readonly<{
  /** Id of the dead letter, for `retryDeadLetter` and `discardDeadLetter`. */
  id: string;
  message: Message;
  topic: string;
  group: string;
  attempts: number;
  error: string;
  failedAt: string;
}>;

/**
 * Delivers messages at least once. Promises, all checked by `describeMessageBus`:
 * - `publish` resolves when the messages are on disk; all messages of a call are published, or none; repeated ids are ignored;
 * - messages with the same key are handled in the order of publishing, also across retries and restarts: while one waits for a
 *   retry, the following ones wait too; after a message becomes a dead letter, the next one is delivered;
 * - a message whose handler never settled (crash) is delivered again after its lease, or immediately after a restart;
 * - a new group gets every message that is still stored; messages are removed when every known group has settled them.
 */
export interface MessageBus {
  publish(topic: string, messages: readonly Message[]): Promise<void>;
  /** Registers the group without consuming, so that messages are kept for it. Idempotent. */
  subscribe(topic: string, group: string): Promise<void>;
  consume(options: ConsumeOptions, handler: Handler): Promise<Consumer>;
  /** Messages that the group has not settled, including those in progress and those waiting for a retry. */
  lag(topic: string, group: string): Promise<number>;
  deadLetters(filter?: Readonly<{ topic?: string; group?: string; limit?: number }>): Promise<readonly DeadLetter[]>;
  /** Queues the message again as the last one of its key, with a new attempt count. Returns false if the dead letter does not exist. */
  retryDeadLetter(id: string): Promise<boolean>;
  discardDeadLetter(id: string): Promise<boolean>;
  close(): Promise<void>;
}
