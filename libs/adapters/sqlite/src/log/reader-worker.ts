import { DatabaseSync } from 'node:sqlite';
import { EventReader } from './event-reader.ts';
import type { ReaderCalls } from './log-calls.ts';
import { damagedLog, serveCalls } from './serve-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

let file: string | undefined;
let database: DatabaseSync | undefined;
let reader: EventReader | undefined;

/** Opens the file on the first read: while this thread starts, the writer may still be creating it. */
const opened = (): EventReader => {
  if (file === undefined) throw new WorkerFault({ code: 'Unavailable', message: 'the event log is not open' });
  database ??= new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  if (reader === undefined) database.exec('PRAGMA cache_size = -16384');
  reader ??= new EventReader(database);
  return reader;
};

serveCalls<ReaderCalls>(
  {
    open: (request) => {
      file = request.file;
      return null;
    },
    read: (request) => opened().read(request),
    close: () => {
      database?.close();
      return null;
    },
  },
  damagedLog,
);
