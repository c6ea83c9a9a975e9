import type { DatabaseSync } from 'node:sqlite';
import { apply } from './bus-queue.ts';
import type { BusAnswer, BusCall, BusOperations, Operation } from './bus-operations.ts';
import { rewriteWal, walIsFull } from '../rewrite-wal.ts';
import { faultOf } from './queue-file.ts';

/**
 * These operations are flushed to disk before they return, so that their results survive a power failure. The others return when the
 * operating system has their writes, which survive a kill of the process. A power failure may undo the newest of them, and the messages
 * are delivered again.
 */
const FLUSHED: ReadonlySet<Operation> = new Set<Operation>([
  'publish',
  'subscribe',
  'retryDeadLetter',
  'discardDeadLetter',
  'setCheckpoint',
]);

/** Executes calls in one transaction, so that they share one flush. Each call is atomic. */
export class GroupCommit {
  private readonly db: DatabaseSync;
  private readonly queue: BusOperations;
  private readonly file: string;
  private flushing = true;
  /** Earlier writes may not be on disk, even if a later flush succeeds. */
  private inDoubt = false;

  constructor(db: DatabaseSync, queue: BusOperations, file: string) {
    this.db = db;
    this.queue = queue;
    this.file = file;
  }

  apply(calls: readonly BusCall[]): readonly BusAnswer[] {
    try {
      this.rewriteIfInDoubt();
      this.flushWhen(calls.some(({ operation }) => FLUSHED.has(operation)));
      this.db.exec('BEGIN IMMEDIATE');
      const answers = calls.map((call) => this.applyOne(call));
      this.db.exec('COMMIT');
      this.checkpointIfFull();
      return answers;
    } catch (error) {
      // for example, the disk is full: nothing was written, and every call gets the error
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.inDoubt = true;
      return calls.map(({ call }) => ({ call, fault: faultOf(error, this.file) }));
    }
  }

  /** The last call: rewrites writes that are in doubt while that is still possible. */
  close(): void {
    try {
      this.rewriteIfInDoubt();
    } catch {
      // The file stays in doubt. The next process that opens it rewrites the write-ahead file.
    }
    this.db.close();
  }

  /** A failed flush may lose transactions that were not flushed before, and with them everything that is flushed later. */
  private rewriteIfInDoubt(): void {
    if (!this.inDoubt) return;
    this.flushWhen(true);
    rewriteWal(this.db);
    this.inDoubt = false;
  }

  /** The results of the calls are final, so a failure here is reported to the next calls. */
  private checkpointIfFull(): void {
    try {
      if (walIsFull(this.db)) rewriteWal(this.db);
    } catch {
      this.inDoubt = true;
    }
  }

  private applyOne(call: BusCall): BusAnswer {
    this.db.exec('SAVEPOINT one');
    try {
      const value = apply(this.queue, call);
      this.db.exec('RELEASE one');
      return { call: call.call, value };
    } catch (error) {
      // some failures roll back the whole transaction; then the other calls cannot continue
      if (!this.db.isTransaction) throw error;
      this.db.exec('ROLLBACK TO one; RELEASE one');
      return { call: call.call, fault: faultOf(error, this.file) };
    }
  }

  private flushWhen(wanted: boolean): void {
    if (wanted === this.flushing) return;
    this.db.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    this.flushing = wanted;
  }
}
