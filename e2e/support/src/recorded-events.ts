import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { distributedServers, installationOn } from './distributed-under-test.ts';

export type RecordedEvent = Readonly<{
  /** A UUID. */
  id: string;
  position: number;
  stream: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}>;

/** All events on the log of an installation, read while its processes run or afterwards. */
export const recordedEvents = async (data: string): Promise<readonly RecordedEvent[]> => {
  const [servers, installation] = [distributedServers(), installationOn(data)];
  return servers && installation ? onTheServer(servers.eventStore.address, installation.namespace) : inTheFolder(data);
};

const onTheServer = async (connectionString: string, namespace: string): Promise<readonly RecordedEvent[]> => {
  const log = await openEventStoreLog({ connectionString, namespace });
  try {
    const events: RecordedEvent[] = [];
    for await (const { id, position, stream, type, data, metadata } of log.readAll())
      events.push({ id, position: Number(position), stream, type, data, metadata });
    return events;
  } finally {
    await log.close();
  }
};

/** Reads the database without any code of the platform. */
const inTheFolder = (data: string): readonly RecordedEvent[] => {
  const database = new DatabaseSync(join(data, 'log', 'events.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT lower(hex(events.id)) AS id, position, streams.name AS stream, types.name AS type, data, metadata FROM events
         JOIN streams ON streams.id = events.stream JOIN types ON types.id = events.type ORDER BY position`,
      )
      .all();
    return rows.map((row) => ({
      id: String(row['id']).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
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
