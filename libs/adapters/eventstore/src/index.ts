export { openEventStoreLog, type EventStoreLogOptions } from './open-eventstore-log.ts';
export type { EventStoreLog, EventStoreLogStats } from './eventstore-log.ts';
