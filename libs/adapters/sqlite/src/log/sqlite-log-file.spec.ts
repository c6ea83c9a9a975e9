import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { streamName, type EventLog, type NewEvent, type StreamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { asVersion } from '../../test/older-log.ts';
import { openSqliteEventLog, type SqliteEventLogOptions } from './open-sqlite-event-log.ts';
import type { SqliteEventLog } from './sqlite-event-log.ts';

const stream = streamName('document', 'acme', 'one');
const events = (count: number): readonly NewEvent[] =>
  Array.from({ length: count }, (_, number) => ({ id: randomUUID(), type: 'Noted', data: { number }, metadata: {} }));

const readAll = async (log: EventLog): Promise<readonly number[]> => {
  const positions: number[] = [];
  for await (const { position } of log.readAll()) positions.push(Number(position));
  return positions;
};

const readStream = async (log: EventLog, of: StreamName): Promise<readonly number[]> => {
  const revisions: number[] = [];
  for await (const { revision } of log.readStream(of)) revisions.push(revision);
  return revisions;
};

const logs: SqliteEventLog[] = [];
const open = async (options: SqliteEventLogOptions): Promise<SqliteEventLog> => {
  const log = await openSqliteEventLog(options);
  logs.push(log);
  return log;
};

describe('the file of a SqliteEventLog', () => {
  let folder: string;
  let file: string;
  const change = (sql: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-log-'));
    file = join(folder, 'events.db');
  });
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    await rm(folder, { recursive: true });
  });

  it('can be open only once at a time', async () => {
    const log = await open({ file });
    await expect(open({ file })).rejects.toThrow(Unavailable);
    await expect(open({ file })).rejects.toThrow('already open in another process');
    await log.close();
    const again = await open({ file });
    expect(await again.head()).toBe(START);
    await again.close();
  });

  it('is refused and left unchanged when it is not an event log', async () => {
    await writeFile(file, 'root:x:0:0:root:/root:/bin/bash\n'.repeat(100));
    await expect(open({ file })).rejects.toThrow(InvalidValue);
    await rm(file);
    change('CREATE TABLE accounts (name TEXT)');
    await expect(open({ file })).rejects.toThrow('an SQLite database of another application');
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'accounts' }]);
    database.close();
  });

  it('is refused when a newer version wrote it', async () => {
    await (await open({ file })).close();
    change('PRAGMA user_version = 4');
    await expect(open({ file })).rejects.toThrow('schema version 4, written by a newer Palimpsest');
  });

  it.each([1, 2])('is migrated from version %i, including age limits, and can be truncated then', async (version) => {
    let now = 0;
    const first = await open({ file, now: () => now });
    await first.append(stream, events(3), 'no-stream');
    await first.setRetention(stream, 1);
    await first.close();
    asVersion(version, file);
    const later = await open({ file, now: () => now });
    expect(await later.check()).toEqual([]);
    expect(await readAll(later)).toHaveLength(3);
    await later.truncate(stream, 1);
    expect(await readAll(later)).toHaveLength(2);
    expect(await later.check()).toEqual([]);
    now = 2_000;
    expect(await later.removeExpired()).toBe(2);
    expect(await later.check()).toEqual([]);
    await later.close();
  });

  it('is refused when its end is missing, and is accepted as it is after the .head file was deleted', async () => {
    const log = await open({ file });
    await log.append(stream, events(3), 'no-stream');
    await log.close();
    change('DELETE FROM events WHERE position = 3; UPDATE sqlite_sequence SET seq = 2; UPDATE streams SET last_revision = 1');
    await expect(open({ file })).rejects.toThrow(`ends at position 2, but was acknowledged up to 3`);
    await rm(`${file}.head`);
    const later = await open({ file });
    expect(await later.append(stream, events(1), 1)).toMatchObject({ outcome: 'appended' });
    await later.close();
  });

  it('is opened when only the .head file is damaged or missing', async () => {
    const log = await open({ file });
    await log.append(stream, events(3), 'no-stream');
    await log.close();
    await writeFile(`${file}.head`, 'nonsense, and more of it');
    const later = await open({ file });
    expect(await readAll(later)).toEqual([1, 2, 3]);
    await later.close();
  });

  it('removes and hides nothing when an age limit is damaged', async () => {
    const log = await open({ file, now: () => 1_000_000 });
    await log.append(stream, events(3), 'no-stream');
    await log.close();
    change('UPDATE streams SET max_age_ms = 1');
    const damaged = await open({ file, now: () => 2_000_000 });
    await expect(readAll(damaged)).rejects.toThrow(Corrupt);
    await expect(damaged.removeExpired()).rejects.toThrow('the age limit of stream');
    expect(await damaged.check()).not.toEqual([]);
    await damaged.close();
  });

  it('reports its damage when it is checked, and continues to work meanwhile', async () => {
    const log = await open({ file });
    await log.append(stream, events(3), 'no-stream');
    expect(await log.check()).toEqual([]);
    change('DELETE FROM events WHERE position = 2');
    expect(await log.check()).toEqual([`events of stream ${stream} are missing`]);
    await expect(readStream(log, stream)).rejects.toThrow(`revision 1 of stream ${stream} is missing`);
    expect(await log.append(stream, events(1), 2)).toMatchObject({ outcome: 'appended' });
    await log.close();
  });

  it.each([
    ['a payload was changed', 'UPDATE events SET data = \'{"number":7}\' WHERE position = 2'],
    ['metadata was changed', 'UPDATE events SET metadata = \'{"actor":1}\' WHERE position = 2'],
    ['its time was changed', 'UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 2'],
    ['two revisions were swapped', 'UPDATE events SET revision = 9 WHERE position = 2'],
    ['its type is missing', 'UPDATE events SET type = 77 WHERE position = 2'],
    ['its stream is missing', 'UPDATE events SET stream = 77 WHERE position = 2'],
  ])('is reported as damaged, with the position, when %s', async (_, damage) => {
    const log = await open({ file });
    await log.append(stream, events(3), 'no-stream');
    await log.close();
    change(damage);
    const damaged = await open({ file });
    const reading = damaged.readAll()[Symbol.asyncIterator]();
    expect((await reading.next()).value).toMatchObject({ position: 1n });
    await expect(reading.next()).rejects.toThrow(Corrupt);
    await expect(readAll(damaged)).rejects.toThrow('the event at position 2 is damaged');
    expect(await damaged.append(stream, events(1), 2)).toMatchObject({ outcome: 'appended' });
    await damaged.close();
  });

  it('removes the rows of expired events, even a thousand, and never reuses a position', async () => {
    let now = 0;
    const options = { file, now: () => now };
    const log = await open(options);
    await log.append(streamName('document', 'acme', 'kept'), events(1), 'no-stream');
    await log.append(stream, events(1200), 'no-stream');
    await log.setRetention(stream, 60);
    now += 60_000;
    expect(await log.removeExpired()).toBe(0); // exactly 60 s old, not older
    now += 1;
    expect(await log.removeExpired()).toBe(1200);
    await log.close();

    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT position FROM events').all()).toEqual([{ position: 1 }]);
    database.close();
    const reopened = await open(options);
    expect(Number(await reopened.head())).toBe(1201);
    expect(await reopened.append(stream, events(1), 1199)).toMatchObject({ revision: 1200, position: 1202n });
    await reopened.close();
  });

  it('removes expired events automatically', async () => {
    let now = 0;
    const log = await open({ file, now: () => now, sweepEveryMs: 5 });
    await log.setRetention(stream, 1);
    await log.append(stream, events(3), 'no-stream');
    now += 2000;
    const watcher = new DatabaseSync(file, { readOnly: true });
    while (watcher.prepare('SELECT count(*) AS count FROM events').get()?.['count'] !== 0) await new Promise(setImmediate);
    watcher.close();
    await log.close();
  });

  it('fails active followers and all later calls once it is closed', async () => {
    const log = await open({ file });
    const following = log.follow({ after: START, signal: new AbortController().signal })[Symbol.asyncIterator]();
    await following.next();
    const waiting = expect(following.next()).rejects.toThrow(Unavailable);
    await log.close();
    await log.close();
    await waiting;
    await expect(log.append(stream, events(1), 'no-stream')).rejects.toThrow('the event log is closed');
    await expect(readAll(log)).rejects.toThrow(Unavailable);
    await expect(log.head()).rejects.toThrow(Unavailable);
  });
});
