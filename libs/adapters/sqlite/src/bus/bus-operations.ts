import type { Outcome } from '@palimpsest/contracts';
import type { Message } from '@palimpsest/knowledge/ports';

/** A message for one group, as the queue file stores it. Times are milliseconds since 1970. */
export type QueuedMessage = Message &
  Readonly<{
    /** The place in the queue; increases with every message. */
    seq: number;
    publishedAt: number;
    /** Deliveries that the handler rejected. */
    failures: number;
    /** Deliveries that were never settled: the process died, or the lease expired. */
    lost: number;
  }>;

/** The messages of one handler call, held under one lease. */
export type LeasedBatch = Readonly<{ lease: number; messages: readonly QueuedMessage[] }>;

/** Identifies one leased message. */
export type Held = Readonly<{ key: string; seq: number }>;

export type Settlement = Held & Outcome;

export type StoredDeadLetter = Readonly<{
  id: number;
  message: Message;
  topic: string;
  group: string;
  attempts: number;
  error: string;
  failedAt: number;
}>;

/**
 * The operations of the queue file; each is atomic. Time and randomness are passed as arguments. The main thread sends these calls to
 * the worker of the bus, so arguments and results are plain data.
 */
export interface BusOperations {
  publish(args: { topic: string; messages: readonly Message[]; now: number }): void;
  /** Returns the group's number. */
  subscribe(args: { topic: string; group: string }): number;
  /** `nextAt`: when the next retry is due or the next lease expires. */
  claim(args: { group: number; batches: number; batchSize: number; leaseUntil: number; now: number }): {
    batches: readonly LeasedBatch[];
    nextAt: number | undefined;
  };
  /** Returns whether all of the messages are still held. */
  renew(args: { group: number; lease: number; held: readonly Held[]; until: number }): boolean;
  /** Returns how many messages became ready. Ignores messages that are no longer held under this lease. */
  settle(args: { group: number; lease: number; settlements: readonly Settlement[]; now: number }): number;
  lag(args: { topic: string; group: string }): number;
  deadLetters(args: { topic: string | undefined; group: string | undefined; limit: number }): readonly StoredDeadLetter[];
  /** Returns the topic, or undefined when the dead letter does not exist. */
  retryDeadLetter(args: { id: number; now: number }): string | undefined;
  discardDeadLetter(args: { id: number }): boolean;
  /** The stored position of a follower, as decimal digits. */
  checkpoint(args: { name: string }): string | undefined;
  setCheckpoint(args: { name: string; position: string }): void;
}

export type Operation = keyof BusOperations;
export type ArgumentsOf<Name extends Operation> = Parameters<BusOperations[Name]>[0];
export type AnswerOf<Name extends Operation> = ReturnType<BusOperations[Name]>;

/** One call to the worker, with a number that identifies its answer. */
export type BusCall = { [Name in Operation]: Readonly<{ call: number; operation: Name; args: ArgumentsOf<Name> }> }[Operation];

export type BusFault = Readonly<{ kind: 'Corrupt' | 'Unavailable'; message: string }>;
export type BusAnswer = Readonly<{ call: number }> & (Readonly<{ value: unknown }> | Readonly<{ fault: BusFault }>);

/** Messages from the worker: first whether the file was opened, then answers in the order of the calls. */
export type FromWorker = 'open' | BusFault | readonly BusAnswer[];
/** Messages to the worker. */
export type ToWorker = BusCall | 'close';
