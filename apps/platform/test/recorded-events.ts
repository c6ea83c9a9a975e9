import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type RecordedEvent = Readonly<{
  position: number;
  stream: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}>;

/** Everything on the log of a data folder, read beside or after the process, without its code. */
export const recordedEvents = (data: string): readonly RecordedEvent[] => {
  const database = new DatabaseSync(join(data, 'log', 'events.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT position, streams.name AS stream, types.name AS type, data, metadata FROM events
         JOIN streams ON streams.id = events.stream JOIN types ON types.id = events.type ORDER BY position`,
      )
      .all();
    return rows.map((row) => ({
      position: Number(row['position']),
      stream: String(row['stream']),
      type: String(row['type']),
      data: JSON.parse(String(row['data'])) as Record<string, unknown>,
      metadata: JSON.parse(String(row['metadata'])) as Record<string, unknown>,
    }));
  } finally {
    database.close();
  }
};
