import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { note } from '@palimpsest/test-kit';
import type { Outcome } from '@palimpsest/contracts';
import type { LeasedBatch } from './bus-operations.ts';
import { BusQueue } from './bus-queue.ts';
import { openQueueFile } from './queue-file.ts';

const DAY = 24 * 60 * 60_000;
const topic = 'topic';

describe('BusQueue', () => {
  let folder: string;
  let db: DatabaseSync;
  let queue: BusQueue;
  let group: number;
  const open = (): void => {
    db = openQueueFile(join(folder, 'queues.db'));
    queue = new BusQueue(db);
    group = queue.subscribe({ topic, group: 'group' });
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-queue-'));
    open();
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const publish = (...ids: readonly string[]): void => queue.publish({ topic, messages: ids.map((id) => note(id, id[0])), now: 0 });
  const claim = (now: number, batches = 1, batchSize = 10) => queue.claim({ group, batches, batchSize, now, leaseUntil: now + 100 });
  const idsOf = (batches: readonly LeasedBatch[]) => batches.map(({ messages }) => messages.map(({ id }) => id));
  const settle = ({ lease, messages }: LeasedBatch, outcome: Outcome, now = 0): number =>
    queue.settle({ group, lease, settlements: messages.map(({ key, seq }) => ({ key, seq, ...outcome })), now });
  const only = (now: number): LeasedBatch => {
    const [batch] = claim(now).batches;
    if (batch === undefined) throw new Error('nothing to claim');
    return batch;
  };

  it('delivers the oldest message of each key, in as many batches as requested', () => {
    publish('a1', 'a2', 'b1', 'c1', 'd1');
    expect(idsOf(claim(0, 2, 3).batches)).toEqual([['a1', 'b1', 'c1'], ['d1']]);
    expect(idsOf(claim(0).batches)).toEqual([]);
  });

  it('delivers a message again when its lease has expired, but not before', () => {
    publish('a1');
    claim(0);
    expect(claim(99)).toEqual({ batches: [], nextAt: 100 });
    expect(only(100).messages).toMatchObject([{ id: 'a1', failures: 0, lost: 1 }]);
  });

  it('extends a lease that is renewed in time', () => {
    publish('a1');
    const { lease, messages } = only(0);
    expect(queue.renew({ group, lease, held: messages, until: 180 })).toBe(true);
    expect(claim(179).batches).toEqual([]);
    expect(claim(180).batches).toHaveLength(1);
  });

  it('ignores calls with a lost lease', () => {
    publish('a1', 'a2');
    const late = only(0);
    const current = only(100);
    expect(queue.renew({ group, lease: late.lease, held: late.messages, until: 999 })).toBe(false);
    for (const outcome of [
      { outcome: 'done' },
      { outcome: 'return' },
      { outcome: 'retry', at: 0 },
      { outcome: 'dead', error: 'x' },
    ] as const)
      expect(settle(late, outcome)).toBe(0);
    expect(queue.lag({ topic, group: 'group' })).toBe(2);
    expect(queue.deadLetters({ topic, group: 'group', limit: 9 })).toEqual([]);
    expect(settle(current, { outcome: 'done' })).toBe(1);
    expect(queue.lag({ topic, group: 'group' })).toBe(1);
  });

  it('returns when the next retry is due, and delivers nothing of that key before', () => {
    publish('a1', 'a2');
    settle(only(0), { outcome: 'retry', at: 50 });
    expect(claim(49)).toEqual({ batches: [], nextAt: 50 });
    expect(only(50).messages).toMatchObject([{ id: 'a1', failures: 1 }]);
  });

  it('ends the leases of an earlier process when it opens', () => {
    publish('a1', 'b1');
    claim(0);
    db.close();
    open();
    expect(only(0).messages).toMatchObject([
      { id: 'a1', lost: 1 },
      { id: 'b1', lost: 1 },
    ]);
  });

  it('moves a message to the dead letters after the process died twenty times, and continues with the next one', () => {
    publish('a1', 'a2');
    for (let crash = 0; crash < 20; crash += 1) {
      expect(only(0).messages[0]?.id).toBe('a1');
      db.close();
      open();
    }
    expect(claim(7)).toEqual({ batches: [], nextAt: 7 });
    expect(only(7).messages[0]?.id).toBe('a2');
    const [letter] = queue.deadLetters({ topic, group: undefined, limit: 9 });
    expect(letter).toMatchObject({ message: note('a1', 'a'), attempts: 20, failedAt: 7 });
    expect(letter?.error).toMatch(/20 deliveries were never settled/);
  });

  it('keeps only the id of a message that every group has settled, for seven days', () => {
    queue.subscribe({ topic, group: 'other' });
    publish('a1');
    settle(only(0), { outcome: 'done' }, 1_000);
    expect(rows('messages')).toBe(1);
    const other = { group: queue.subscribe({ topic, group: 'other' }), now: 1_000 };
    const { batches } = queue.claim({ ...other, batches: 1, batchSize: 1, leaseUntil: 2_000 });
    for (const { lease, messages } of batches)
      queue.settle({ ...other, lease, settlements: messages.map(({ key, seq }) => ({ key, seq, outcome: 'done' })) });
    expect([rows('messages'), rows('entries'), rows('published')]).toEqual([0, 0, 1]);
    queue.publish({ topic, messages: [note('a1', 'a')], now: 7 * DAY });
    expect(rows('messages')).toBe(0);
    queue.publish({ topic, messages: [note('b1', 'b')], now: 7 * DAY + 1_000 });
    queue.publish({ topic, messages: [note('a1', 'a')], now: 7 * DAY + 1_000 });
    expect(rows('messages')).toBe(2);
  });

  it('remembers the id of a message that waits longer than seven days', () => {
    publish('a1');
    queue.publish({ topic, messages: [note('a1', 'a')], now: 30 * DAY });
    expect(queue.lag({ topic, group: 'group' })).toBe(1);
  });

  it('finds its work by an index, however long the queue is', () => {
    const statements = statementsOf(db);
    const whole = /SCAN (?:entries|messages|published|e|m)\b/;
    const scanning = statements.filter((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .some((step) => whole.test(String(step['detail']))),
    );
    expect(statements.length).toBeGreaterThan(15);
    // these three add a new group and need the whole queue
    expect(scanning.every((sql) => /FROM messages WHERE topic = |UPDATE messages .* WHERE topic = /.test(sql))).toBe(true);
    expect(scanning).toHaveLength(3);
  });

  const rows = (table: string): unknown => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
});

/** All SQL statements that a queue prepares. */
const statementsOf = (db: DatabaseSync): readonly string[] => {
  const statements: string[] = [];
  const recording = { prepare: (sql: string) => (statements.push(sql), db.prepare(sql)) };
  new BusQueue(recording as unknown as DatabaseSync);
  return statements;
};
