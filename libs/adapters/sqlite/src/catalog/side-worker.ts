/**
 * A second connection to a file that the main thread also has open, for the few statements that wait for the disk. A flush may take
 * tens of milliseconds; in this thread it blocks no other work.
 */
import { DatabaseSync } from 'node:sqlite';
import { serveCalls } from '../log/serve-calls.ts';
import { WorkerFault } from '../log/worker-protocol.ts';
import type { SideCalls } from './side-calls.ts';

let file = '';
let database: DatabaseSync | undefined;

serveCalls<SideCalls>(
  {
    open: (request) => {
      ({ file } = request);
      return null;
    },
    run: ({ sql, values }) => {
      try {
        database ??= new DatabaseSync(file, { timeout: 5_000 });
        database.prepare(sql).all(...values);
        return null;
      } catch (cause) {
        throw new WorkerFault({
          code: 'Unavailable',
          message: `${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
        });
      }
    },
    close: () => {
      database?.close();
      return null;
    },
  },
  (message) => `the database file is damaged (${message})`,
);
