import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Message } from '@palimpsest/knowledge/ports';
import type { ArgumentsOf, Held, StoredDeadLetter } from './bus-operations.ts';
import type { Publishing } from './publishing.ts';

/** Messages that a group could not handle. Each is a copy, because the message itself may be deleted once the other groups settled it. */
export class DeadLetters {
  private readonly publishing: Publishing;
  private readonly copyOf: StatementSync;
  private readonly select: StatementSync;
  private readonly take: StatementSync;
  private readonly topicOf: StatementSync;

  constructor(db: DatabaseSync, publishing: Publishing) {
    this.publishing = publishing;
    this.copyOf = db.prepare(
      `INSERT INTO dead_letters (group_id, message_id, key, headers, body, published_at, attempts, error, failed_at)
       SELECT e.group_id, m.id, m.key, m.headers, m.body, m.published_at, e.failures + e.lost + :attempts, :error, :now
       FROM entries e JOIN messages m ON m.seq = e.seq
       WHERE e.group_id = :group AND e.key = :key AND e.seq = :seq AND e.lease = :lease`,
    );
    this.select = db.prepare(
      `SELECT d.*, g.topic, g.name FROM dead_letters d JOIN groups g ON g.id = d.group_id
       WHERE (:topic IS NULL OR g.topic = :topic) AND (:group IS NULL OR g.name = :group) ORDER BY d.id LIMIT :limit`,
    );
    this.take = db.prepare('DELETE FROM dead_letters WHERE id = ? RETURNING *');
    this.topicOf = db.prepare('SELECT topic FROM groups WHERE id = ?');
  }

  /** Returns whether the message was held under this lease. `attempts` is added to the attempts counted so far. */
  copy(args: Held & { group: number; lease: number; error: string; attempts: number; now: number }): boolean {
    return this.copyOf.run(args).changes === 1;
  }

  list({ topic, group, limit }: ArgumentsOf<'deadLetters'>): readonly StoredDeadLetter[] {
    return this.select.all({ topic: topic ?? null, group: group ?? null, limit }).map((row) => ({
      id: Number(row['id']),
      message: messageOf(row),
      topic: String(row['topic']),
      group: String(row['name']),
      attempts: Number(row['attempts']),
      error: String(row['error']),
      failedAt: Number(row['failed_at']),
    }));
  }

  /** Queues the message again, for its own group only: the other groups have settled it or still have it queued. */
  retry({ id, now }: ArgumentsOf<'retryDeadLetter'>): string | undefined {
    const row = this.take.get(id);
    if (row === undefined) return undefined;
    const group = Number(row['group_id']);
    const topic = String(this.topicOf.get(group)?.['topic']);
    this.publishing.enqueue(topic, messageOf(row), [group], now);
    return topic;
  }

  discard({ id }: ArgumentsOf<'discardDeadLetter'>): boolean {
    return this.take.get(id) !== undefined;
  }
}

const messageOf = (row: Record<string, SQLOutputValue>): Message => ({
  id: String(row['message_id']),
  key: String(row['key']),
  headers: JSON.parse(String(row['headers'])) as Record<string, string>,
  body: String(row['body']),
});
