import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventLog, type EventLogUnderTest } from '@palimpsest/test-kit';
import { openSqliteEventLog } from './open-sqlite-event-log.ts';

const open = async (): Promise<EventLogUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  let now = Date.parse('2026-01-01T00:00:00Z');
  const openHere = () => openSqliteEventLog({ file: join(folder, 'log', 'events.db'), now: () => now });
  let log = await openHere();
  return {
    log,
    removesAtOnce: true,
    reopen: async () => {
      await log.close();
      return (log = await openHere());
    },
    letTimePass: async (seconds) => {
      now += seconds * 1000;
    },
    dispose: async () => {
      await log.close();
      await rm(folder, { recursive: true });
    },
  };
};

describeEventLog('SqliteEventLog', open);
