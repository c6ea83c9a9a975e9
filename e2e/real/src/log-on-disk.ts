import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const EVENTS = 'events JOIN types ON types.id = events.type JOIN streams ON streams.id = events.stream';

/** Queries the log of a data folder without code of the platform, while its process runs. The log is large, so SQLite does the counting. */
const ask = (data: string, sql: string, ...parameters: readonly (string | number)[]): readonly Record<string, unknown>[] => {
  const database = new DatabaseSync(join(data, 'log', 'events.db'), { readOnly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
};

/** The number of events of each type after a position. */
export const eventCounts = (data: string, after = 0): Readonly<Record<string, number>> => {
  const rows = ask(
    data,
    `SELECT types.name AS type, count(*) AS events FROM ${EVENTS} WHERE position > ? GROUP BY types.name ORDER BY types.name`,
    after,
  );
  return Object.fromEntries(rows.map(({ type, events }) => [String(type), Number(events)]));
};

export const headOf = (data: string): number => Number(ask(data, 'SELECT max(position) AS head FROM events')[0]?.['head'] ?? 0);

/** Streams with several events of this type that have the same value in a field. */
export const duplicates = (data: string, type: string, field: string): readonly string[] =>
  ask(
    data,
    `SELECT streams.name AS stream FROM ${EVENTS} WHERE types.name = ? GROUP BY stream, json_extract(data, '$.' || ?) HAVING count(*) > 1`,
    type,
    field,
  ).map(({ stream }) => String(stream));
