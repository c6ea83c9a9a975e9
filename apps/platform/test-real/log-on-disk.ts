import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const EVENTS = 'events JOIN types ON types.id = events.type JOIN streams ON streams.id = events.stream';

/** The log of a data folder, read beside the process and without its code. Vectors make it large, so the database counts. */
const ask = (data: string, sql: string, ...parameters: readonly (string | number)[]): readonly Record<string, unknown>[] => {
  const database = new DatabaseSync(join(data, 'log', 'events.db'), { readOnly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
};

/** How many events of each type lie on the log after a position. */
export const eventCounts = (data: string, after = 0): Readonly<Record<string, number>> => {
  const rows = ask(data, `SELECT types.name AS type, count(*) AS events FROM ${EVENTS} WHERE position > ? GROUP BY types.name ORDER BY types.name`, after);
  return Object.fromEntries(rows.map(({ type, events }) => [String(type), Number(events)]));
};

export const headOf = (data: string): number => Number(ask(data, 'SELECT max(position) AS head FROM events')[0]?.['head'] ?? 0);

/** Streams on which an event of this type says the same more than once, judged by one of its fields. */
export const saidTwice = (data: string, type: string, field: string): readonly string[] =>
  ask(data, `SELECT streams.name AS stream FROM ${EVENTS} WHERE types.name = ? GROUP BY stream, json_extract(data, '$.' || ?) HAVING count(*) > 1`, type, field).map(
    ({ stream }) => String(stream),
  );
