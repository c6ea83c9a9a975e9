/** `id` makes publishing idempotent within a topic; messages of the same `key` are handled in order, one at a time. */
export type Message = Readonly<{
  id: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  /** UTF-8 JSON text. */
  body: string;
}>;

/** `attempt` starts at 1. `signal` aborts when the consumer stops or the lease is lost. */
export type Delivery = Message & Readonly<{ topic: string; attempt: number; publishedAt: string; signal: AbortSignal }>;

/** Thrown by a handler: do not try again, put it among the dead letters. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Thrown by a handler: try again, but not before so many milliseconds have passed (a rate limit, say). */
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
  /** Most deliveries in one call of the handler, default 1. A batch never holds two messages of one key. */
  batchSize?: number;
  /** Handler calls at the same time, default 1. */
  concurrency?: number;
  /** A delivery that is not settled within this time belongs to nobody and is delivered again; default 60,000. Renewed while the handler runs. */
  leaseMs?: number;
  /** Attempts in all before a message becomes a dead letter, default 4. */
  maxAttempts?: number;
  /** Full jitter: `uniform(0, min(capMs, baseMs * 2^attempt))`; default 2,000 and 60,000. */
  backoff?: Readonly<{ baseMs: number; capMs: number }>;
}>;

/** Settles the whole batch when it resolves; when it rejects, each delivery in it is retried or becomes a dead letter. */
export type Handler = (deliveries: readonly Delivery[]) => Promise<void>;

export interface Consumer {
  pause(): void;
  resume(): void;
  /** Takes no more messages, waits for handlers under way (their signal aborts after `graceMs`), gives back what is unsettled. */
  stop(graceMs?: number): Promise<void>;
}

export type DeadLetter = Readonly<{
  /** Of this dead letter, for `retry` and `discard`. */
  id: string;
  message: Message;
  topic: string;
  group: string;
  attempts: number;
  error: string;
  failedAt: string;
}>;

/**
 * Work on its way, at least once. Promises, all checked by `describeMessageBus`:
 * - `publish` resolves when the messages are on disk; all of one call or none; an id published before is ignored;
 * - messages of one key are handled in the order of publishing, also across retries and restarts: while one of them waits
 *   for its retry, those behind it wait too; a dead letter lets the next one pass;
 * - a message whose handler never settled (crash) is delivered again after its lease, or at once after a restart;
 * - a group first seen now gets every message still kept; settled messages are removed once every known group settled them.
 */
export interface MessageBus {
  publish(topic: string, messages: readonly Message[]): Promise<void>;
  /** Makes the group known, so that messages are kept for it, without consuming. Idempotent. */
  subscribe(topic: string, group: string): Promise<void>;
  consume(options: ConsumeOptions, handler: Handler): Promise<Consumer>;
  /** Messages not yet settled by the group, those under way and those waiting for a retry included. */
  lag(topic: string, group: string): Promise<number>;
  deadLetters(filter?: Readonly<{ topic?: string; group?: string; limit?: number }>): Promise<readonly DeadLetter[]>;
  /** Puts it back at the end of its key, attempts counted anew. Answers false when there is no such dead letter. */
  retryDeadLetter(id: string): Promise<boolean>;
  discardDeadLetter(id: string): Promise<boolean>;
  close(): Promise<void>;
}
