import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Held } from './bus-operations.ts';

/** How long the ids of deleted messages are remembered, so that publishing them again has no effect. */
const REMEMBER_IDS_MS = 7 * 24 * 60 * 60_000;

/** Steps on messages and entries that several operations share. */
export class QueueEntries {
  private readonly add: StatementSync;
  private readonly countAdded: StatementSync;
  private readonly remove: StatementSync;
  private readonly unblock: StatementSync;
  private readonly settledBy: StatementSync;
  private readonly forgetLater: StatementSync;
  private readonly deleteMessage: StatementSync;

  constructor(db: DatabaseSync) {
    this.add = db.prepare(
      `INSERT INTO entries (group_id, key, seq, state)
       VALUES (:group, :key, :seq, EXISTS (SELECT 1 FROM entries WHERE group_id = :group AND key = :key))`,
    );
    this.countAdded = db.prepare('UPDATE groups SET lag = lag + :by WHERE id = :group');
    this.remove = db.prepare('DELETE FROM entries WHERE group_id = :group AND key = :key AND seq = :seq AND lease = :lease');
    this.unblock = db.prepare(
      `UPDATE entries SET state = 0 WHERE group_id = :group AND key = :key AND state = 1
       AND seq = (SELECT min(seq) FROM entries WHERE group_id = :group AND key = :key)`,
    );
    this.settledBy = db.prepare(
      'UPDATE messages SET unsettled_groups = unsettled_groups - 1 WHERE seq = ? RETURNING unsettled_groups AS unsettled, topic, id',
    );
    this.forgetLater = db.prepare('UPDATE published SET forget_at = :at WHERE topic = :topic AND id = :id');
    this.deleteMessage = db.prepare('DELETE FROM messages WHERE seq = ?');
  }

  /** Adds the newest entry of its key: ready when it is the only one, otherwise blocked. */
  append(group: number, { key, seq }: Held): void {
    this.add.run({ group, key, seq });
    this.countAdded.run({ group, by: 1 });
  }

  /**
   * Settles this message for the group: the next one of its key becomes ready. The last group deletes the message. Returns undefined
   * when the message is not held under this lease, otherwise how many messages became ready (0 or 1).
   */
  finish(group: number, { key, seq }: Held, lease: number, now: number): number | undefined {
    if (this.remove.run({ group, key, seq, lease }).changes === 0) return undefined;
    this.countAdded.run({ group, by: -1 });
    const message = this.settledBy.get(seq);
    if (message?.['unsettled'] === 0) {
      this.forgetLater.run({ at: now + REMEMBER_IDS_MS, topic: message['topic'] ?? '', id: message['id'] ?? '' });
      this.deleteMessage.run(seq);
    }
    return Number(this.unblock.run({ group, key }).changes);
  }
}
