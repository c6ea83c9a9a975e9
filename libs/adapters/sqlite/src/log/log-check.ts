import type { DatabaseSync } from 'node:sqlite';
import { eventsOfLog } from './event-queries.ts';
import { retentionHolds, truncationHolds, verified, type Row } from './stored-row.ts';

/** The maximum number of reported problems: a badly damaged file is not reported page by page. */
const MAX_PROBLEMS = 20;
const ROWS = 1_000;

/**
 * Reads the whole log and returns a description of each problem; none when the log is intact. It checks the structure of the file
 * and that its indexes match its rows (a read by an index does not notice a row that the index lost). It also checks the checksum of
 * every event, and that no revision and no position is missing.
 */
export const checkLog = (database: DatabaseSync): readonly string[] => {
  const problems: string[] = [];
  for (const check of [structure, events, revisions, positions]) {
    try {
      for (const problem of check(database)) if (problems.push(problem) >= MAX_PROBLEMS) return problems;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error)); // too damaged for SQLite to continue
    }
  }
  return problems;
};

function* structure(database: DatabaseSync): Iterable<string> {
  for (const row of database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).iterate())
    if (row['integrity_check'] !== 'ok') yield `SQLite: ${String(row['integrity_check'])}`;
}

function* events(database: DatabaseSync): Iterable<string> {
  const read = database.prepare(eventsOfLog('forwards'));
  for (let cursor = 0, rows: Row[]; (rows = read.all(cursor, ROWS)).length > 0; cursor = Number(rows.at(-1)?.['position']))
    for (const row of rows) if (verified(row) === 'damaged') yield `the event at position ${String(row['position'])} is damaged`;
}

const REVISIONS = `
  SELECT s.name, s.name AS stream, s.last_revision, s.max_age_ms, s.max_age_checksum, s.first_revision, s.first_revision_checksum,
    EXISTS (SELECT 1 FROM truncations t WHERE t.stream = s.id) AS removing, min(e.revision) AS first, max(e.revision) AS last, count(e.revision) AS there
  FROM streams s LEFT JOIN events e ON e.stream = s.id GROUP BY s.id`;

/** Only retention and truncation remove events, and only the oldest of a stream. */
function* revisions(database: DatabaseSync): Iterable<string> {
  for (const row of database.prepare(REVISIONS).iterate()) {
    const { name, last_revision: given, max_age_ms: maxAge, first_revision: kept, removing, first, last, there } = row;
    if (!retentionHolds(row)) yield `the age limit of stream ${String(name)} is damaged`;
    if (!truncationHolds(row)) yield `the first revision of stream ${String(name)} is damaged`;
    if (Number(there) === 0) {
      if (Number(given) >= 0 && maxAge === null) yield `all events of stream ${String(name)} are missing`;
    } else if (last !== given) yield `stream ${String(name)} ends at revision ${String(last)}, but was written up to ${String(given)}`;
    else if (Number(there) !== Number(last) - Number(first) + 1 || (maxAge === null && Number(first) > Number(kept)))
      yield `events of stream ${String(name)} are missing`;
    else if (removing === 0 && Number(first) < Number(kept)) yield `events of stream ${String(name)} were truncated, but are not removed`;
  }
}

/** Every assigned position belongs to a revision of some stream. */
function* positions(database: DatabaseSync): Iterable<string> {
  const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
  const given = number("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const taken = number('SELECT total(last_revision + 1) FROM streams');
  if (given !== taken) yield `${given} positions were assigned, but the streams have ${taken} revisions`;
}
