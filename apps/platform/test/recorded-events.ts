import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { distributedServers, installationOn } from './distributed-under-test.ts';

export type RecordedEvent = Readonly<{
  position: number;
  stream: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}>;

/** Everything on the log of an installation, read beside or after its processes. */
export const recordedEvents = async (data: string): Promise<readonly RecordedEvent[]> => {
  const [servers, installation] = [distributedServers(), installationOn(data)];
  return servers && installation ? onTheServer(servers.eventStore.address, installation.namespace) : inTheFolder(data);
};

const onTheServer = async (connectionString: string, namespace: string): Promise<readonly RecordedEvent[]> => {
  const log = await openEventStoreLog({ connectionString, namespace });
  try {
    const events: RecordedEvent[] = [];
    for await (const { position, stream, type, data, metadata } of log.readAll()) events.push({ position: Number(position), stream, type, data, metadata });
    return events;
  } finally {
    await log.close();
  }
};

/** Without any code of the platform's. */
const inTheFolder = (data: string): readonly RecordedEvent[] => {
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
