import type { DatabaseSync } from 'node:sqlite';
import { eventsOfLog } from './event-queries.ts';
import { retentionHolds, verified, type Row } from './stored-row.ts';

/** What is told at most: a file that is broken all over need not be told page by page. */
const MOST_PROBLEMS = 20;
const ROWS = 1_000;

/**
 * Reads the whole log and tells what is damaged, in words; nothing when it is as it was written. It looks at the structure of
 * the file and at what its indexes say of its rows (a row that an index has lost is not missed by who reads by that index),
 * at every event's checksum, and at whether all revisions and positions are there that were ever given.
 */
export const checkLog = (database: DatabaseSync): readonly string[] => {
  const problems: string[] = [];
  for (const look of [structure, events, revisions, positions]) {
    try {
      for (const problem of look(database)) if (problems.push(problem) >= MOST_PROBLEMS) return problems;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error)); // so broken that SQLite gives up
    }
  }
  return problems;
};

function* structure(database: DatabaseSync): Iterable<string> {
  for (const row of database.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).iterate()) if (row['integrity_check'] !== 'ok') yield `SQLite: ${String(row['integrity_check'])}`;
}

function* events(database: DatabaseSync): Iterable<string> {
  const read = database.prepare(eventsOfLog('forwards'));
  for (let cursor = 0, rows: Row[]; (rows = read.all(cursor, ROWS)).length > 0; cursor = Number(rows.at(-1)?.['position']))
    for (const row of rows) if (verified(row) === 'damaged') yield `the event at position ${String(row['position'])} is not what was written`;
}

const REVISIONS = `
  SELECT s.name, s.name AS stream, s.last_revision, s.max_age_ms, s.max_age_checksum, min(e.revision) AS first, max(e.revision) AS last, count(e.revision) AS there
  FROM streams s LEFT JOIN events e ON e.stream = s.id GROUP BY s.id`;

/** Only retention takes events away, and only the oldest of a stream. */
function* revisions(database: DatabaseSync): Iterable<string> {
  for (const row of database.prepare(REVISIONS).iterate()) {
    const { name, last_revision: given, max_age_ms: maxAge, first, last, there } = row;
    if (!retentionHolds(row)) yield `the age limit of stream ${String(name)} is not what was set`;
    if (Number(there) === 0) {
      if (Number(given) >= 0 && maxAge === null) yield `all events of stream ${String(name)} are missing`;
    } else if (last !== given) yield `stream ${String(name)} ends at revision ${String(last)}, and was written up to ${String(given)}`;
    else if (Number(there) !== Number(last) - Number(first) + 1 || (maxAge === null && first !== 0)) yield `events of stream ${String(name)} are missing`;
  }
}

/** Every position that was ever given went to a revision of some stream. */
function* positions(database: DatabaseSync): Iterable<string> {
  const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
  const given = number("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const taken = number('SELECT total(last_revision + 1) FROM streams');
  if (given !== taken) yield `${given} positions were given, and the streams have ${taken} revisions`;
}
