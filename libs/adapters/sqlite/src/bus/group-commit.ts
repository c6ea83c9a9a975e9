import type { DatabaseSync } from 'node:sqlite';
import { apply } from './bus-queue.ts';
import type { BusAnswer, BusCall, BusOperations, Operation } from './bus-operations.ts';
import { rewriteWal, walIsFull } from '../rewrite-wal.ts';
import { faultOf } from './queue-file.ts';

/**
 * What a caller may rely on after a power failure is flushed to the disk before it is answered. The rest is in the
 * operating system's hands when answered, which survives a kill of the process; a power failure may undo the newest of
 * it, and the messages are delivered again.
 */
const FLUSHED: ReadonlySet<Operation> = new Set<Operation>(['publish', 'subscribe', 'retryDeadLetter', 'discardDeadLetter']);

/** Applies calls in one transaction, each whole or not at all, so that those which must be flushed share one flush. */
export class GroupCommit {
  private readonly db: DatabaseSync;
  private readonly queue: BusOperations;
  private readonly file: string;
  private flushing = true;
  /** What was written before may not be on disk, though a flush behind it succeeds. */
  private inDoubt = false;

  constructor(db: DatabaseSync, queue: BusOperations, file: string) {
    this.db = db;
    this.queue = queue;
    this.file = file;
  }

  apply(calls: readonly BusCall[]): readonly BusAnswer[] {
    try {
      this.dispelDoubt();
      this.flushWhen(calls.some(({ operation }) => FLUSHED.has(operation)));
      this.db.exec('BEGIN IMMEDIATE');
      const answers = calls.map((call) => this.applyOne(call));
      this.db.exec('COMMIT');
      this.keepShort();
      return answers;
    } catch (error) {
      // the disk is full, say: nothing of it happened, and everybody hears so
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.inDoubt = true;
      return calls.map(({ call }) => ({ call, fault: faultOf(error, this.file) }));
    }
  }

  /** Comes last: what is in doubt now is written anew while that can still be done. */
  close(): void {
    try {
      this.dispelDoubt();
    } catch {
      // The file stays in doubt. Whoever opens it next writes anew what is there.
    }
    this.db.close();
  }

  /** Transactions that were not flushed may be lost by a flush that failed, and with them all that is flushed behind them. */
  private dispelDoubt(): void {
    if (!this.inDoubt) return;
    this.flushWhen(true);
    rewriteWal(this.db);
    this.inDoubt = false;
  }

  /** The calls are answered by now, so that a failure here is told to the next. */
  private keepShort(): void {
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
      // some failures end the whole transaction by themselves; then there is no going on with the others
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
