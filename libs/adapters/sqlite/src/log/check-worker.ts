import { DatabaseSync } from 'node:sqlite';
import { checkLog } from './log-check.ts';
import type { CheckCalls } from './log-calls.ts';
import { damagedLog, serveCalls } from './serve-calls.ts';

let file = '';

serveCalls<CheckCalls>(
  {
    open: (request) => {
      file = request.file;
      return null;
    },
    check: () => {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
      try {
        database.exec('BEGIN'); // one consistent snapshot
        return checkLog(database);
      } finally {
        database.close();
      }
    },
    close: () => null,
  },
  damagedLog,
);
