import type { Outcome } from '@palimpsest/contracts';
import type { Message } from '@palimpsest/knowledge';

/** A message on its way to one group, as the queue file has it. Times are milliseconds since 1970. */
export type QueuedMessage = Message & Readonly<{
  /** Place in the queue: grows with every message. */
  seq: number;
  publishedAt: number;
  /** Deliveries that the handler rejected. */
  failures: number;
  /** Deliveries that nobody settled: the process died, or the lease ran out. */
  lost: number;
}>;

/** What one call of a handler gets; it holds these messages under one lease. */
export type LeasedBatch = Readonly<{ lease: number; messages: readonly QueuedMessage[] }>;

/** The place of one leased message. */
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
 * What the queue file does, each call whole or not at all. Everything that varies (time, chance) is an argument. These
 * calls cross from the main thread to the bus's worker, so arguments and answers are plain data.
 */
export interface BusOperations {
  publish(args: { topic: string; messages: readonly Message[]; now: number }): void;
  /** Answers the group's number. */
  subscribe(args: { topic: string; group: string }): number;
  /** `nextAt`: when the next retry is due or the next lease runs out. */
  claim(args: { group: number; batches: number; batchSize: number; leaseUntil: number; now: number }): {
    batches: readonly LeasedBatch[];
    nextAt: number | undefined;
  };
  /** Answers whether all of it is still held. */
  renew(args: { group: number; lease: number; held: readonly Held[]; until: number }): boolean;
  /** Answers how many messages became ready; what is no longer held under this lease is left alone. */
  settle(args: { group: number; lease: number; settlements: readonly Settlement[]; now: number }): number;
  lag(args: { topic: string; group: string }): number;
  deadLetters(args: { topic: string | undefined; group: string | undefined; limit: number }): readonly StoredDeadLetter[];
  /** Answers the topic, undefined when there is no such dead letter. */
  retryDeadLetter(args: { id: number; now: number }): string | undefined;
  discardDeadLetter(args: { id: number }): boolean;
}

export type Operation = keyof BusOperations;
export type ArgumentsOf<Name extends Operation> = Parameters<BusOperations[Name]>[0];
export type AnswerOf<Name extends Operation> = ReturnType<BusOperations[Name]>;

/** One call on its way to the worker, with a number by which its answer is found. */
export type BusCall = { [Name in Operation]: Readonly<{ call: number; operation: Name; args: ArgumentsOf<Name> }> }[Operation];

export type BusFault = Readonly<{ kind: 'Corrupt' | 'Unavailable'; message: string }>;
export type BusAnswer = Readonly<{ call: number }> & (Readonly<{ value: unknown }> | Readonly<{ fault: BusFault }>);

/** From the worker: first whether the file opened, then answers, in the order of the calls. */
export type FromWorker = 'open' | BusFault | readonly BusAnswer[];
/** To the worker. */
export type ToWorker = BusCall | 'close';
