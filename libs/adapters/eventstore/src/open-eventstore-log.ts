import { InvalidValue, type KnowledgeError } from '@palimpsest/knowledge/errors';
import { Connection } from './connection.ts';
import { EventStoreLog } from './eventstore-log.ts';
import { Namespace } from './namespace.ts';

export type EventStoreLogOptions = Readonly<{
  /** `esdb://`, `esdb+discover://` or `kurrentdb://...`, with credentials and TLS settings as described in its documentation. */
  connectionString: string;
  /** Letters, digits, "_". Isolates several logs on one server from each other. Default: this log owns the server. */
  namespace?: string;
  /** Maximum duration of one attempt of an append, ms; default 4000. */
  attemptMs?: number;
  /** How long an append or a read is retried while the server fails, ms; default 8000. Then it is Unavailable. */
  totalMs?: number;
  /** Maximum time to wait for the next message of a read, ms; default 4000. */
  idleMs?: number;
  /** Called for each failure after which a follower subscribes again. */
  onFault?: (fault: KnowledgeError) => void;
}>;

/**
 * Opens the log and reads its head from the server.
 * @throws InvalidValue for invalid options; Unavailable when the server does not answer; StoreRefused
 */
export const openEventStoreLog = async (options: EventStoreLogOptions): Promise<EventStoreLog> => {
  const { attemptMs = 4000, totalMs = 8000, idleMs = 4000, onFault = () => undefined } = options;
  for (const [name, ms] of Object.entries({ attemptMs, totalMs, idleMs }))
    if (!Number.isFinite(ms) || ms <= 0) throw new InvalidValue(name, 'a number of milliseconds greater than 0', ms);
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

/** The client's message about a string that it cannot parse may contain the password, so it is dropped. */
const connectionTo = (connectionString: string): Connection => {
  try {
    return new Connection(connectionString);
  } catch (error) {
    if (error instanceof InvalidValue) throw error;
    throw new InvalidValue('connectionString', 'a connection string of EventStoreDB with readable certificate files', 'something else');
  }
};
