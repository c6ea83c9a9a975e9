import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { AnswerOf, ArgumentsOf, Held, LeasedBatch, QueuedMessage, Settlement } from './bus-operations.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { QueueEntries } from './queue-entries.ts';

/** A message becomes a dead letter after this many lost deliveries, because it may be what crashes the process. */
const MAX_LOST_DELIVERIES = 20;

/** Delivers messages from the queue under leases. */
export class Leasing {
  private readonly entries: QueueEntries;
  private readonly deadLetters: DeadLetters;
  private readonly wakeDue: StatementSync;
  private readonly ready: StatementSync;
  private readonly lease: StatementSync;
  private readonly nextDue: StatementSync;
  private readonly extend: StatementSync;
  private readonly wait: StatementSync;
  private readonly returnToQueue: StatementSync;
  /** Opening the file ended the leases of earlier processes, so the numbers can start again at 0. */
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
    this.nextDue = db.prepare('SELECT min(due) AS due FROM entries WHERE group_id = ? AND due IS NOT NULL');
    this.extend = db.prepare(`UPDATE entries SET due = :due WHERE ${held}`);
    this.wait = db.prepare(`UPDATE entries SET state = 3, failures = failures + 1, lease = NULL, due = :due WHERE ${held}`);
    this.returnToQueue = db.prepare(`UPDATE entries SET state = 0, lease = NULL, due = NULL WHERE ${held}`);
  }

  claim({ group, batches, batchSize, leaseUntil, now }: ArgumentsOf<'claim'>): AnswerOf<'claim'> {
    this.wakeDue.run({ group, now });
    const messages = this.ready.all({ group, limit: batches * batchSize }).map(queued);
    const deliverable: QueuedMessage[] = [];
    for (const message of messages) if (!this.deadLetterIfLostTooOften(group, message, now)) deliverable.push(message);
    const leased: LeasedBatch[] = [];
    for (let from = 0; from < deliverable.length; from += batchSize) {
      this.lastLease += 1;
      const batch = { lease: this.lastLease, messages: deliverable.slice(from, from + batchSize) };
      for (const { key, seq } of batch.messages) this.lease.run({ group, key, seq, lease: batch.lease, due: leaseUntil });
      leased.push(batch);
    }
    // after dead-lettering, more messages may be ready: claim again immediately
    const nextAt = deliverable.length < messages.length ? now : this.nextDue.get(group)?.['due'];
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
        return Number(this.returnToQueue.run(held).changes);
      case 'retry':
        // counts as ready, so that idle consumers learn when it is due
        return Number(this.wait.run({ ...held, due: settlement.at }).changes);
      case 'dead':
        return this.deadLetter(group, { ...held, now, error: settlement.error, attempts: 1 });
    }
  }

  private deadLetterIfLostTooOften(group: number, message: QueuedMessage, now: number): boolean {
    if (message.lost < MAX_LOST_DELIVERIES) return false;
    const { key, seq } = message;
    this.lastLease += 1;
    this.lease.run({ group, key, seq, lease: this.lastLease, due: now });
    const error = `${message.lost} deliveries were never settled: each time the process died or the lease expired`;
    this.deadLetter(group, { key, seq, lease: this.lastLease, now, error, attempts: 0 });
    return true;
  }

  /** `attempts` is added to the attempts that the entry counts so far. */
  private deadLetter(group: number, entry: Held & { lease: number; now: number; error: string; attempts: number }): number {
    const { key, seq, lease, now, error, attempts } = entry;
    const copied = this.deadLetters.copy({ group, key, seq, lease, error, attempts, now });
    return copied ? (this.entries.finish(group, entry, lease, now) ?? 0) : 0;
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
