import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { streamName, type StreamName } from '@palimpsest/knowledge/ports';
import { EventTruncation } from './event-truncation.ts';
import { EventWriter } from './event-writer.ts';
import { openLogFile } from './log-file.ts';
import { openSqliteEventLog, type SqliteEventLogOptions } from './open-sqlite-event-log.ts';
import type { SqliteEventLog } from './sqlite-event-log.ts';

const stream = streamName('document', 'acme', 'one');
const events = (count: number, text = 'x') =>
  Array.from({ length: count }, (_, number) => ({ id: randomUUID(), type: 'Noted', data: { text: `${text} ${number};` }, metadata: {} }));

const revisionsOf = async (log: SqliteEventLog, of: StreamName = stream): Promise<readonly number[]> => {
  const revisions: number[] = [];
  for await (const { revision } of log.readStream(of)) revisions.push(revision);
  return revisions;
};

describe('a truncated stream in the file of a SqliteEventLog', () => {
  let folder: string;
  let file: string;
  const logs: SqliteEventLog[] = [];
  const open = async (options: Partial<SqliteEventLogOptions> = {}): Promise<SqliteEventLog> => {
    const log = await openSqliteEventLog({ file, ...options });
    logs.push(log);
    return log;
  };
  const change = (sql: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  const stored = (sql: string): readonly unknown[] => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row)[0]);
    } finally {
      database.close();
    }
  };
  const found = (text: string): boolean =>
    [file, `${file}-wal`].some((each) => existsSync(each) && readFileSync(each).includes(Buffer.from(text)));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-truncation-'));
    file = join(folder, 'events.db');
  });
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    rmSync(folder, { recursive: true });
  });

  it('has no rows of truncated events, and no bytes of them in any file, while the log stays open', async () => {
    const log = await open();
    const kept = streamName('document', 'acme', 'kept');
    await log.append(stream, events(40, 'removed'.repeat(100)), 'no-stream');
    await log.append(kept, events(40, 'kept'.repeat(100)), 'no-stream');
    await log.append(stream, events(1), 39);
    expect(found('removedremoved')).toBe(true);
    await log.truncate(stream, 40);
    expect(found('removedremoved')).toBe(false);
    expect(found('keptkept')).toBe(true);
    expect(stored('SELECT revision FROM events WHERE stream = 1')).toEqual([40]);
    expect(stored('SELECT stream FROM truncations')).toEqual([]);
    expect(await log.check()).toEqual([]);
  });

  it('keeps the bytes in the write-ahead file only as long as another process reads an older state', async () => {
    const log = await open({ sweepEveryMs: 5 });
    await log.append(stream, events(40, 'removed'.repeat(100)), 'no-stream');
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 40 });
    await log.truncate(stream, 39);
    expect(await revisionsOf(log)).toEqual([39]);
    expect(found('removedremoved')).toBe(true);
    expect(reader.prepare('SELECT count(*) AS count FROM events').get()).toEqual({ count: 40 });
    reader.exec('COMMIT');
    reader.close();
    while (found('removed 38;')) await new Promise(setImmediate);
    expect(await log.append(stream, events(1), 39)).toMatchObject({ outcome: 'appended' });
  });

  it('shows none of the truncated events while their rows are still there, and removes these after a restart', async () => {
    const first = await open();
    await first.append(stream, events(1200, 'removed'), 'no-stream');
    await first.close();
    // As after a kill right after the first revision was stored.
    const killed = openLogFile(file);
    new EventTruncation(killed.database).truncate(stream, 1199);
    killed.close();
    expect(stored('SELECT count(*) FROM events')).toEqual([1200]);
    const log = await open();
    expect(await revisionsOf(log)).toEqual([1199]);
    const watcher = new DatabaseSync(file, { readOnly: true });
    while (watcher.prepare('SELECT count(*) AS count FROM truncations').get()?.['count'] !== 0) await new Promise(setImmediate);
    watcher.close();
    expect(stored('SELECT revision FROM events')).toEqual([1199]);
    expect(await log.check()).toEqual([]);
  });

  it.each([
    ['many events', 1_200, 10, [700, 200, 0]],
    ['large events', 7, 1_000_000, [4, 1, 0]],
  ])('is removed in small transactions: %s', (_, count, length, left) => {
    const log = openLogFile(file);
    try {
      const writer = new EventWriter(log.database);
      for (let n = 0; n <= count; n++) {
        const lines = ['Noted', JSON.stringify({ text: 'x'.repeat(length) }), '{}'].join('\n');
        writer.append([{ stream, expected: n - 1, ids: [n.toString(16).padStart(32, '0')], lines }], 0);
      }
      const truncation = new EventTruncation(log.database);
      truncation.truncate(stream, count);
      const rows = log.database.prepare('SELECT count(*) AS count FROM events WHERE revision < ?');
      for (const expected of left) {
        expect(truncation.removeSome()).toBe(true);
        expect(rows.get(count)?.['count']).toBe(expected);
      }
      expect(truncation.removeSome()).toBe(false);
    } finally {
      log.close();
    }
  });

  it('is checked: what is missing above the cut is reported, and what was to be removed', async () => {
    const log = await open();
    await log.append(stream, events(5), 'no-stream');
    await log.truncate(stream, 2);
    expect(await log.check()).toEqual([]);
    change('DELETE FROM events WHERE revision = 2');
    expect(await log.check()).toEqual([`events of stream ${stream} are missing`]);
    await expect(revisionsOf(log)).rejects.toThrow(`revision 0 of stream ${stream} is missing`);
  });

  it('is reported if truncated events came back', async () => {
    const log = await open();
    await log.append(stream, events(5), 'no-stream');
    await log.truncate(stream, 2);
    change(`
      INSERT INTO events (position, stream, revision, type, id, recorded_at, checksum, data, metadata)
      SELECT 2, stream, 1, type, zeroblob(16), recorded_at, checksum, data, metadata FROM events WHERE revision = 2`);
    expect(await log.check()).toContain(`events of stream ${stream} were truncated, but are not removed`);
    expect(await revisionsOf(log)).toEqual([2, 3, 4]);
  });

  it.each([
    ['is higher', 'UPDATE streams SET first_revision = 4'],
    ['is lower', 'UPDATE streams SET first_revision = 1'],
    ['is missing', 'UPDATE streams SET first_revision = NULL'],
    ['has another checksum', 'UPDATE streams SET first_revision_checksum = 7'],
  ])('hides and removes nothing when its stored first revision %s', async (_, damage) => {
    const first = await open();
    await first.append(stream, events(5), 'no-stream');
    await first.truncate(stream, 2);
    await first.close();
    change(`${damage}; INSERT INTO truncations (stream) VALUES (1)`);
    const log = await open();
    await expect(revisionsOf(log)).rejects.toThrow(Corrupt);
    await expect(log.truncate(stream, 3)).rejects.toThrow('the first revision of stream');
    expect(await log.check()).toContain(`the first revision of stream ${stream} is damaged`);
    expect(stored('SELECT revision FROM events')).toEqual([2, 3, 4]);
  });
});
