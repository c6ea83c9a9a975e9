import { DatabaseSync } from 'node:sqlite';
import { eventsOfLog, eventsOfStream, positionsOfTypes } from './event-queries.ts';
import { prepareSchema } from './log-schema.ts';

describe('the queries of the event log', () => {
  const database = new DatabaseSync(':memory:');
  prepareSchema(database, ':memory:');
  const planOf = (sql: string): string =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => String(step['detail']))
      .join('\n');
  afterAll(() => database.close());

  it.each(['forwards', 'backwards'] as const)('find events of several types using only the index, without sorting, %s', (direction) => {
    const plan = planOf(positionsOfTypes(3, direction));
    expect(plan.match(/SEARCH events USING COVERING INDEX events_by_type \(type=\? AND rowid[<>]\?\)/g)).toHaveLength(3);
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN events/);
  });

  it.each(['forwards', 'backwards'] as const)('read log and stream in index order, %s', (direction) => {
    expect(planOf(eventsOfLog(direction))).toMatch(/^SEARCH e USING INTEGER PRIMARY KEY \(rowid[<>]\?\)/);
    expect(planOf(eventsOfStream(direction))).toMatch(/^SEARCH e USING INDEX events_by_stream \(stream=\? AND revision[<>]\?\)/);
    expect(planOf(eventsOfLog(direction)) + planOf(eventsOfStream(direction))).not.toMatch(/TEMP B-TREE/);
  });
});
