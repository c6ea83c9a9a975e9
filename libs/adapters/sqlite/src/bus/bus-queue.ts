import type { DatabaseSync } from 'node:sqlite';
import type { AnswerOf, ArgumentsOf, BusCall, BusOperations } from './bus-operations.ts';
import { CheckpointTable } from './checkpoint-table.ts';
import { DeadLetters } from './dead-letters.ts';
import { Leasing } from './leasing.ts';
import { Publishing } from './publishing.ts';
import { QueueEntries } from './queue-entries.ts';

/** The complete queue on one open file; synchronous. Callers manage the transactions. */
export class BusQueue implements BusOperations {
  private readonly publishing: Publishing;
  private readonly leasing: Leasing;
  private readonly dead: DeadLetters;
  private readonly checkpoints: CheckpointTable;

  constructor(db: DatabaseSync) {
    const entries = new QueueEntries(db);
    this.publishing = new Publishing(db, entries);
    this.dead = new DeadLetters(db, this.publishing);
    this.leasing = new Leasing(db, entries, this.dead);
    this.checkpoints = new CheckpointTable(db);
  }

  publish(args: ArgumentsOf<'publish'>): void {
    this.publishing.publish(args);
  }
  subscribe(args: ArgumentsOf<'subscribe'>): number {
    return this.publishing.subscribe(args);
  }
  claim(args: ArgumentsOf<'claim'>): AnswerOf<'claim'> {
    return this.leasing.claim(args);
  }
  renew(args: ArgumentsOf<'renew'>): boolean {
    return this.leasing.renew(args);
  }
  settle(args: ArgumentsOf<'settle'>): number {
    return this.leasing.settle(args);
  }
  lag(args: ArgumentsOf<'lag'>): number {
    return this.publishing.lag(args);
  }
  deadLetters(args: ArgumentsOf<'deadLetters'>): AnswerOf<'deadLetters'> {
    return this.dead.list(args);
  }
  retryDeadLetter(args: ArgumentsOf<'retryDeadLetter'>): string | undefined {
    return this.dead.retry(args);
  }
  discardDeadLetter(args: ArgumentsOf<'discardDeadLetter'>): boolean {
    return this.dead.discard(args);
  }
  checkpoint({ name }: ArgumentsOf<'checkpoint'>): string | undefined {
    return this.checkpoints.get(name);
  }
  setCheckpoint({ name, position }: ArgumentsOf<'setCheckpoint'>): void {
    this.checkpoints.set(name, position);
  }
}

/** Executes a call that was received as data. */
export const apply = (queue: BusOperations, call: BusCall): unknown => {
  const operation = queue[call.operation] as (args: BusCall['args']) => unknown;
  return operation.call(queue, call.args);
};
