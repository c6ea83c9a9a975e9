import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pause } from '@palimpsest/foundation';
import { streamName, type RecordedEvent } from '@palimpsest/knowledge/ports';
import { asVersion } from '../../test/older-log.ts';
import { LogCopy } from './log-copy.ts';
import { openLogPrefix, type LogPrefix, type LogStream } from './log-prefix.ts';
import { openSqliteEventLog } from './open-sqlite-event-log.ts';
import type { SqliteEventLog } from './sqlite-event-log.ts';

const event = (type = 'Noted', text = 'x') => ({ id: randomUUID(), type, data: { text }, metadata: {} });

describe('a snapshot of the log', () => {
  let folder: string;
  let log: SqliteEventLog;
  let prefix: LogPrefix | undefined;
  const file = (name: string): string => join(folder, name);
  const open = (): LogPrefix => (prefix = openLogPrefix(file('events.db')));
  const streamsOf = (of: LogPrefix): LogStream[] => [...of.streams()].flat();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-prefix-'));
    log = await openSqliteEventLog({ file: file('events.db') });
  });
  afterEach(async () => {
    prefix?.close();
    prefix = undefined;
    await log.close();
    await rm(folder, { recursive: true });
  });

  it('does not include events that are written after it was opened', async () => {
    const [a, b] = [streamName('a'), streamName('b')];
    await log.append(a, [event(), event('Other')], 'no-stream');
    const before = open();
    await log.append(a, [event()], 1);
    await log.append(b, [event()], 'no-stream');
    expect(before.head).toBe(2);
    expect(streamsOf(before)).toEqual([{ name: a, lastRevision: 1, maxAgeMs: null }]);
    expect([...before.events()].flat().map(({ position }) => position)).toEqual([1, 2]);
    expect([...before.eventsOfType('Noted')].map(({ position }) => position)).toEqual([1]);
    expect([...before.eventsOfType('Unheard')]).toEqual([]);
  });

  it('is read in pages without gaps or duplicates', async () => {
    for (let i = 0; i < 12; i += 1)
      await log.append(
        streamName('s', String(i)),
        Array.from({ length: 200 }, () => event('Noted', 'y'.repeat(1_000))),
        'no-stream',
      );
    const pages = [...open().events()];
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat().map(({ position }) => position)).toEqual(Array.from({ length: 2_400 }, (_, i) => i + 1));
  });

  it.each([1, 2])('reads a log of version %i without changing it', async (version) => {
    const [short, kept] = [streamName('short'), streamName('kept')];
    await log.append(kept, [event()], 'no-stream');
    await log.setRetention(short, 60);
    await log.append(short, [event()], 'no-stream');
    await log.close();
    asVersion(version, file('events.db'));
    const before = open();
    expect(streamsOf(before)).toContainEqual({ name: short, lastRevision: 0, maxAgeMs: 60_000 });
    expect([...before.events()].flat().map(({ position }) => position)).toEqual([1, 2]);
    expect([...before.truncated()]).toEqual([]);
    const database = new DatabaseSync(file('events.db'), { readOnly: true });
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
    database.close();
  });

  it('is refused when an age limit is damaged: a copy would treat the changed limit as valid', async () => {
    await log.setRetention(streamName('short'), 60);
    await log.close();
    const database = new DatabaseSync(file('events.db'));
    database.exec('UPDATE streams SET max_age_ms = 1');
    database.close();
    expect(() => streamsOf(open())).toThrow('the age limit of stream short is damaged');
  });

  it('is refused for a file that is not a log', async () => {
    expect(() => openLogPrefix(file('none.db'))).toThrow(/event log: expected an existing file/);
    await writeFile(file('text.db'), 'not a database, however long it is, and it is longer than a header would be'.repeat(20));
    expect(() => openLogPrefix(file('text.db'))).toThrow(/not an SQLite database/);
    new DatabaseSync(file('empty.db')).close();
    expect(() => openLogPrefix(file('empty.db'))).toThrow(/a file that contains an event log/);
  });

  it('is copied with positions, revisions, ids, times, gaps and age limits', async () => {
    const [short, kept] = [streamName('short'), streamName('kept')];
    await log.append(kept, [event()], 'no-stream');
    await log.setRetention(short, 0.001);
    await log.append(short, [event(), event()], 'no-stream');
    await log.append(kept, [event()], 0);
    await log.append(short, [event()], 1);
    await pause(10);
    await log.removeExpired();
    const all = async (of: SqliteEventLog): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = [];
      for await (const each of of.readAll()) events.push(each);
      return events;
    };
    const original = await all(log);
    expect(original.map(({ position }) => position)).toEqual([1n, 4n]);
    const before = open();
    const copy = new LogCopy(file('copy.db'));
    for (const stream of streamsOf(before)) copy.addStream(stream);
    for (const each of [...before.events()].flat()) copy.addEvent(each);
    copy.finish(before.head);
    const opened = await openSqliteEventLog({ file: file('copy.db') });
    try {
      expect(await all(opened)).toEqual(original);
      expect(await opened.head()).toBe(5n);
      // Removed events still count: revisions and positions continue after them.
      expect(await opened.append(short, [event()], 2)).toMatchObject({ outcome: 'appended', revision: 3, position: 6n });
      expect(await opened.append(kept, [event()], 0)).toEqual({ outcome: 'conflict', actual: 1 });
    } finally {
      await opened.close();
    }
  });

  it('is copied with its truncations', async () => {
    const [a, b] = [streamName('a'), streamName('b')];
    await log.append(a, [event(), event(), event()], 'no-stream');
    await log.append(b, [event(), event(), event()], 'no-stream');
    await log.truncate(a, 1);
    await log.truncate(b, 2);
    const before = open();
    const copy = new LogCopy(file('copy.db'));
    for (const stream of streamsOf(before)) copy.addStream(stream);
    for (const each of [...before.events()].flat()) copy.addEvent(each);
    const truncated = [...before.truncated()].flat();
    expect(truncated).toEqual([
      { name: a, firstRevision: 1 },
      { name: b, firstRevision: 2 },
    ]);
    for (const each of truncated) copy.truncate(each);
    copy.finish(before.head);
    const opened = await openSqliteEventLog({ file: file('copy.db') });
    try {
      const revisions: [string, number][] = [];
      for await (const { stream, revision } of opened.readAll()) revisions.push([stream, revision]);
      expect(revisions).toEqual([
        [a, 1],
        [a, 2],
        [b, 2],
      ]);
      await opened.truncate(b, 1); // changes nothing, and waits for the removal
      expect(await opened.check()).toEqual([]);
      expect(await opened.append(b, [event()], 2)).toMatchObject({ outcome: 'appended', revision: 3, position: 7n });
    } finally {
      await opened.close();
    }
  });

  it('cannot be read on when one of its streams was truncated meanwhile: what it still needs may have been repeated later', async () => {
    const [a, later] = [streamName('a'), streamName('later')];
    await log.append(a, [event(), event()], 'no-stream');
    const before = open();
    expect(streamsOf(before)).toHaveLength(1);
    await log.append(a, [event()], 1);
    await log.append(later, [event(), event()], 'no-stream');
    await log.truncate(later, 1);
    expect([...before.truncated()]).toEqual([]);
    await log.truncate(a, 2);
    expect(() => [...before.truncated()]).toThrow('old history was removed from the log while it was read: read it again');
  });

  it('cannot be copied over an existing file, with a duplicate event, or with an event without its stream', async () => {
    await log.append(streamName('a'), [event()], 'no-stream');
    const before = open();
    const streams = streamsOf(before);
    const [[first]] = [...before.events()] as [[Parameters<LogCopy['addEvent']>[0]]];
    expect(() => new LogCopy(file('events.db'))).toThrow(/does not exist yet/);
    const twice = new LogCopy(file('twice.db'));
    for (const stream of streams) twice.addStream(stream);
    twice.addEvent(first);
    twice.addEvent({ ...first, position: 2 });
    expect(() => twice.finish(2)).toThrow(/same id or the same place/);
    twice.close();
    const without = new LogCopy(file('without.db'));
    expect(() => without.addEvent(first)).toThrow(/a stream that does not exist/);
    without.close();
  });
});
