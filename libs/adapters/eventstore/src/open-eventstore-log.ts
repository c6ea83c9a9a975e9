import { InvalidValue, type KnowledgeError } from '@palimpsest/knowledge';
import { Connection } from './connection.ts';
import { EventStoreLog } from './eventstore-log.ts';
import { Namespace } from './namespace.ts';

export type EventStoreLogOptions = Readonly<{
  /** `esdb://`, `esdb+discover://` or `kurrentdb://...`, with credentials and TLS settings as its documentation says. */
  connectionString: string;
  /** Letters, digits, "_": lets several logs live on one server, unseen by each other. Default: the server is this log's alone. */
  namespace?: string;
  /** How long one attempt of an append may take, ms; default 4000. */
  attemptMs?: number;
  /** How long an append or a read is tried again while the server fails, ms; default 8000. Then it is Unavailable. */
  totalMs?: number;
  /** Longest wait for the next message of a read, ms; default 4000. */
  idleMs?: number;
  /** Told of each failure after which a follower subscribes again. */
  onFault?: (fault: KnowledgeError) => void;
}>;

/**
 * Opens the log, and asks the server for its head.
 * @throws InvalidValue when the options make no sense; Unavailable when the server does not answer; Forbidden
 */
export const openEventStoreLog = async (options: EventStoreLogOptions): Promise<EventStoreLog> => {
  const { attemptMs = 4000, totalMs = 8000, idleMs = 4000, onFault = () => undefined } = options;
  for (const [name, ms] of Object.entries({ attemptMs, totalMs, idleMs }))
    if (!Number.isFinite(ms) || ms <= 0) throw new InvalidValue(name, 'milliseconds, more than 0', ms);
  const namespace = new Namespace(options.namespace);
  const connection = connectionTo(options.connectionString);
  const log = new EventStoreLog({ connection, namespace, appends: { attemptMs, totalMs }, reads: { idleMs, totalMs }, onFault });
  try {
    await log.reach();
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
};

/** What the client says of a string that it cannot read may hold the password, so it is not passed on. */
const connectionTo = (connectionString: string): Connection => {
  try {
    return new Connection(connectionString);
  } catch (error) {
    if (error instanceof InvalidValue) throw error;
    throw new InvalidValue('connectionString', 'a connection string of EventStoreDB with readable certificate files', 'another text');
  }
};
