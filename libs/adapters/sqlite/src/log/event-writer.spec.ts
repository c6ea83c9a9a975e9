import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { EventReader } from './event-reader.ts';
import { EventWriter } from './event-writer.ts';
import type { EncodedAppend } from './log-calls.ts';
import { numberOf, prepareSchema } from './log-schema.ts';

const append = (stream: string, type: string, bytes = 0): EncodedAppend => ({
  stream,
  expected: -1,
  ids: [randomUUID().replaceAll('-', '')],
  lines: `${type}\n{"text":"${'x'.repeat(bytes)}"}\n{}`,
});

describe('EventWriter', () => {
  it('finds the last revisions of more streams than it caches', () => {
    const database = new DatabaseSync(':memory:');
    prepareSchema(database, ':memory:');
    const writer = new EventWriter(database);
    const streams = Array.from({ length: 10_001 }, (_, i) => `stream ${i}`);
    writer.append(
      streams.map((stream) => append(stream, 'Noted')),
      1,
    );
    const again = writer.append([append('stream 0', 'Noted'), append('stream 10000', 'Noted')], 2);
    expect(again).toEqual([
      { outcome: 'conflict', actual: 0 },
      { outcome: 'conflict', actual: 0 },
    ]);
    database.close();
  });

  it('writes nothing of a group when the disk is full, and continues when there is space', () => {
    const database = new DatabaseSync(':memory:');
    prepareSchema(database, ':memory:');
    const writer = new EventWriter(database);
    writer.append([append('first', 'Noted')], 1);
    database.exec('PRAGMA max_page_count = 20');
    expect(() => writer.append([append('second', 'NewType'), append('third', 'Noted', 500_000)], 2)).toThrow('full');
    expect(['streams', 'types', 'events'].map((table) => numberOf(database, `SELECT count(*) FROM ${table}`))).toEqual([1, 1, 1]);

    database.exec('PRAGMA max_page_count = 2000');
    expect(writer.append([append('second', 'NewType'), append('third', 'Noted', 500_000)], 3)).toEqual([
      { outcome: 'appended', revision: 0, position: 2, repeated: false },
      { outcome: 'appended', revision: 0, position: 3, repeated: false },
    ]);
    const { events, head } = new EventReader(database).read({ direction: 'forwards', cursor: 0, rows: 10, now: 4 });
    expect(events.map(({ stream, type, recordedAt }) => [stream, type, recordedAt])).toEqual([
      ['first', 'Noted', 1],
      ['second', 'NewType', 3],
      ['third', 'Noted', 3],
    ]);
    expect(head).toBe(3);
    database.close();
  });
});
