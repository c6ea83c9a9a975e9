export { openSqliteCatalog, type SqliteCatalog } from './catalog/sqlite-catalog.ts';
export { openSqliteCheckpoints } from './catalog/sqlite-checkpoints.ts';
export { openSqliteEventLog, type SqliteEventLogOptions } from './log/open-sqlite-event-log.ts';
export type { SqliteEventLog } from './log/sqlite-event-log.ts';
export { openSqliteMessageBus, type SqliteMessageBusOptions } from './bus/open-sqlite-message-bus.ts';
export type { BusClock } from './bus/bus-clock.ts';
export { openLogPrefix, type LogPrefix, type LogStream } from './log/log-prefix.ts';
export { LogCopy } from './log/log-copy.ts';
export type { StoredEvent } from './log/log-calls.ts';
