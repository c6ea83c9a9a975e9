import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { AnswerOf, ArgumentsOf, Held, LeasedBatch, QueuedMessage, Settlement } from './bus-operations.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { QueueEntries } from './queue-entries.ts';

/** A message whose process died so often while it was handled is set aside: it may be what kills the process. */
const MOST_LOST_DELIVERIES = 20;

/** Messages out of the queue, under leases. */
export class Leasing {
  private readonly entries: QueueEntries;
  private readonly deadLetters: DeadLetters;
  private readonly wakeDue: StatementSync;
  private readonly ready: StatementSync;
  private readonly lease: StatementSync;
  private readonly earliestDue: StatementSync;
  private readonly extend: StatementSync;
  private readonly wait: StatementSync;
  private readonly giveBack: StatementSync;
  /** Leases of earlier processes ended when the file was opened, so counting may begin anew. */
  private lastLease = 0;

  constructor(db: DatabaseSync, entries: QueueEntries, deadLetters: DeadLetters) {
    this.entries = entries;
    this.deadLetters = deadLetters;
    const held = 'group_id = :group AND key = :key AND seq = :seq AND lease = :lease';
    this.wakeDue = db.prepare(
      `UPDATE entries SET lost = lost + (state = 2), state = 0, lease = NULL, due = NULL WHERE group_id = :group AND due <= :now`,
    );
    this.ready = db.prepare(
      `SELECT e.seq, e.failures, e.lost, m.id, m.key, m.headers, m.body, m.published_at
       FROM entries e JOIN messages m ON m.seq = e.seq
       WHERE e.group_id = :group AND e.state = 0 ORDER BY e.seq LIMIT :limit`,
    );
    this.lease = db.prepare(
      'UPDATE entries SET state = 2, lease = :lease, due = :due WHERE group_id = :group AND key = :key AND seq = :seq',
    );
    this.earliestDue = db.prepare('SELECT min(due) AS due FROM entries WHERE group_id = ? AND due IS NOT NULL');
    this.extend = db.prepare(`UPDATE entries SET due = :due WHERE ${held}`);
    this.wait = db.prepare(`UPDATE entries SET state = 3, failures = failures + 1, lease = NULL, due = :due WHERE ${held}`);
    this.giveBack = db.prepare(`UPDATE entries SET state = 0, lease = NULL, due = NULL WHERE ${held}`);
  }

  claim({ group, batches, batchSize, leaseUntil, now }: ArgumentsOf<'claim'>): AnswerOf<'claim'> {
    this.wakeDue.run({ group, now });
    const messages = this.ready.all({ group, limit: batches * batchSize }).map(queued);
    const sound: QueuedMessage[] = [];
    for (const message of messages) if (!this.buried(group, message, now)) sound.push(message);
    const leased: LeasedBatch[] = [];
    for (let from = 0; from < sound.length; from += batchSize) {
      this.lastLease += 1;
      const batch = { lease: this.lastLease, messages: sound.slice(from, from + batchSize) };
      for (const { key, seq } of batch.messages) this.lease.run({ group, key, seq, lease: batch.lease, due: leaseUntil });
      leased.push(batch);
    }
    // with everything buried there may be more behind it: look again at once
    const nextAt = sound.length < messages.length ? now : this.earliestDue.get(group)?.['due'];
    return { batches: leased, nextAt: typeof nextAt === 'number' ? nextAt : undefined };
  }

  renew({ group, lease, held, until }: ArgumentsOf<'renew'>): boolean {
    return held.every(({ key, seq }) => this.extend.run({ group, key, seq, lease, due: until }).changes === 1);
  }

  settle({ group, lease, settlements, now }: ArgumentsOf<'settle'>): number {
    return settlements.reduce((ready, settlement) => ready + this.settleOne(group, lease, settlement, now), 0);
  }

  private settleOne(group: number, lease: number, settlement: Settlement, now: number): number {
    const held = { group, key: settlement.key, seq: settlement.seq, lease };
    switch (settlement.outcome) {
      case 'done':
        return this.entries.finish(group, settlement, lease, now) ?? 0;
      case 'return':
        return Number(this.giveBack.run(held).changes);
      case 'retry':
        // counts as ready: whoever is idle has to learn when it is due
        return Number(this.wait.run({ ...held, due: settlement.at }).changes);
      case 'dead':
        return this.bury(group, { ...held, now, error: settlement.error, attempts: 1 });
    }
  }

  private buried(group: number, message: QueuedMessage, now: number): boolean {
    if (message.lost < MOST_LOST_DELIVERIES) return false;
    const { key, seq } = message;
    this.lastLease += 1;
    this.lease.run({ group, key, seq, lease: this.lastLease, due: now });
    const error = `${message.lost} deliveries were never settled: the process died each time, or the lease ran out`;
    this.bury(group, { key, seq, lease: this.lastLease, now, error, attempts: 0 });
    return true;
  }

  /** `attempts`: to add to those that the entry counts so far. */
  private bury(group: number, death: Held & { lease: number; now: number; error: string; attempts: number }): number {
    const { key, seq, lease, now, error, attempts } = death;
    const copied = this.deadLetters.copy({ group, key, seq, lease, error, attempts, now });
    return copied ? (this.entries.finish(group, death, lease, now) ?? 0) : 0;
  }
}

const queued = (row: Record<string, SQLOutputValue>): QueuedMessage => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  key: String(row['key']),
  headers: JSON.parse(String(row['headers'])) as Record<string, string>,
  body: String(row['body']),
  publishedAt: Number(row['published_at']),
  failures: Number(row['failures']),
  lost: Number(row['lost']),
});
