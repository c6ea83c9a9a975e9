import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Message } from '@palimpsest/knowledge/ports';
import type { ArgumentsOf } from './bus-operations.ts';
import type { QueueEntries } from './queue-entries.ts';

/** The maximum number of ids forgotten per published message: more than one, so that old ids cannot accumulate. */
const FORGET_PER_MESSAGE = 2;

/** Adds messages to the queue, and the groups that they are kept for. */
export class Publishing {
  private readonly entries: QueueEntries;
  private readonly remember: StatementSync;
  private readonly forget: StatementSync;
  private readonly insert: StatementSync;
  private readonly groupsOf: StatementSync;
  private readonly findGroup: StatementSync;
  private readonly addGroup: StatementSync;
  private readonly addKept: StatementSync;
  private readonly countKept: StatementSync;
  private readonly setLag: StatementSync;
  private readonly lagOf: StatementSync;
  private readonly kept: StatementSync;

  constructor(db: DatabaseSync, entries: QueueEntries) {
    this.entries = entries;
    this.remember = db.prepare('INSERT OR IGNORE INTO published (topic, id) VALUES (:topic, :id)');
    this.forget = db.prepare(
      `DELETE FROM published WHERE (topic, id) IN
       (SELECT topic, id FROM published WHERE forget_at <= :now ORDER BY forget_at LIMIT :limit)`,
    );
    this.insert = db.prepare(
      `INSERT INTO messages (topic, id, key, headers, body, published_at, unsettled_groups)
       VALUES (:topic, :id, :key, :headers, :body, :now, :groups)`,
    );
    this.groupsOf = db.prepare('SELECT id FROM groups WHERE topic = ?');
    this.findGroup = db.prepare('SELECT id FROM groups WHERE topic = :topic AND name = :group');
    this.addGroup = db.prepare('INSERT INTO groups (topic, name, lag) VALUES (:topic, :group, 0)');
    this.addKept = db.prepare(
      `INSERT INTO entries (group_id, key, seq, state)
       SELECT :id, key, seq, seq > min(seq) OVER (PARTITION BY key) FROM messages WHERE topic = :topic`,
    );
    this.countKept = db.prepare('UPDATE messages SET unsettled_groups = unsettled_groups + 1 WHERE topic = ?');
    this.setLag = db.prepare('UPDATE groups SET lag = :lag WHERE id = :id');
    this.lagOf = db.prepare('SELECT lag FROM groups WHERE topic = :topic AND name = :group');
    this.kept = db.prepare('SELECT count(*) AS n FROM messages WHERE topic = ?');
  }

  publish({ topic, messages, now }: ArgumentsOf<'publish'>): void {
    this.forget.run({ now, limit: messages.length * FORGET_PER_MESSAGE });
    const groups = this.groupsOf.all(topic).map((row) => Number(row['id']));
    for (const message of messages) if (this.remember.run({ topic, id: message.id }).changes > 0) this.enqueue(topic, message, groups, now);
  }

  /** Adds the message as the last one of its key, for these groups. */
  enqueue(topic: string, { id, key, headers, body }: Message, groups: readonly number[], now: number): void {
    const row = { topic, id, key, headers: JSON.stringify(headers), body, now, groups: groups.length };
    const seq = Number(this.insert.run(row).lastInsertRowid);
    for (const group of groups) this.entries.append(group, { key, seq });
  }

  subscribe({ topic, group }: ArgumentsOf<'subscribe'>): number {
    const known = this.findGroup.get({ topic, group });
    if (known !== undefined) return Number(known['id']);
    const id = Number(this.addGroup.run({ topic, group }).lastInsertRowid);
    const lag = Number(this.addKept.run({ id, topic }).changes);
    this.countKept.run(topic);
    this.setLag.run({ lag, id });
    return id;
  }

  /** For an unknown group, returns the number of all kept messages, because it would receive all of them. */
  lag({ topic, group }: ArgumentsOf<'lag'>): number {
    const known = this.lagOf.get({ topic, group });
    return known === undefined ? Number(this.kept.get(topic)?.['n']) : Number(known['lag']);
  }
}
