import { resolve } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import type { CheckCalls, ReaderCalls, WriterCalls } from './log-calls.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';
import { WorkerChannel } from './worker-channel.ts';

export type SqliteEventLogOptions = Readonly<{
  /** Path of the database. The file and its folders are created when missing. Its other files end in `-wal`, `-shm`, `.lock` and `.head`. */
  file: string;
  /** The clock: Unix ms, for `recordedAt` and retention; default `Date.now`. */
  now?: () => number;
  /** How often events past their retention, and truncated ones that are left, are removed from the file; default 60,000. */
  sweepEveryMs?: number;
}>;

/**
 * Opens the log for this process alone.
 * @throws InvalidValue when the file is not an event log of this version; Unavailable when it is open elsewhere
 */
export const openSqliteEventLog = async (options: SqliteEventLogOptions): Promise<SqliteEventLog> => {
  if (typeof options.file !== 'string' || options.file === '') throw new InvalidValue('file', 'a path', options.file);
  const file = resolve(options.file);
  const writer = new WorkerChannel<WriterCalls>('the writer of the event log', workerScript('writer-worker'), { file });
  const reader = new WorkerChannel<ReaderCalls>('the reader of the event log', workerScript('reader-worker'), { file });
  const [opened] = await Promise.allSettled([writer.open(), reader.open()]); // in parallel: starting a thread takes a while
  if (opened.status === 'rejected') {
    await reader.close();
    throw opened.reason;
  }
  const { now = Date.now, sweepEveryMs = 60_000 } = options;
  const checker = () => new WorkerChannel<CheckCalls>('the check of the event log', workerScript('check-worker'), { file });
  return new SqliteEventLog({ writer, reader, checker, head: position(BigInt(opened.value)), now, sweepEveryMs });
};

const workerScript = (name: string): URL => new URL(import.meta.url.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, import.meta.url);
