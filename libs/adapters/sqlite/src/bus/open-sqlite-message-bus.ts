import { resolve } from 'node:path';
import { systemClock, type BusClock } from './bus-clock.ts';
import { BusThread } from './bus-thread.ts';
import { SqliteMessageBus } from './sqlite-message-bus.ts';

export type SqliteMessageBusOptions = Readonly<{
  /** The file and its folder are created when missing. A second file ending in `-wal` belongs to it. */
  file: string;
  clock?: BusClock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for the delays between attempts. */
  random?: () => number;
}>;

/**
 * Opens a message bus in one SQLite file, for one process at a time: the file is locked while the bus is open.
 * Ids of messages are remembered until 7 days after the last group settled them. Its `checkpoints` are in the same file, and closed with it.
 * @throws Unavailable when another process has the file open, or the file cannot be used; Corrupt when it is damaged
 */
export const openSqliteMessageBus = async (options: SqliteMessageBusOptions): Promise<SqliteMessageBus> =>
  (await openKillableBus(options)).bus;

/** Also returns a function that ends the bus as abruptly as a kill of the process would; for tests. */
export const openKillableBus = async ({
  file,
  clock = systemClock,
  random = Math.random,
}: SqliteMessageBusOptions): Promise<{ bus: SqliteMessageBus; kill(): Promise<void> }> => {
  const thread = await BusThread.open(resolve(file));
  return { bus: new SqliteMessageBus(thread, clock, random), kill: () => thread.kill() };
};
