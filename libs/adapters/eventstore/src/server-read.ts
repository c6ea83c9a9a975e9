import type { Connection } from './connection.ts';
import { Incoming } from './incoming.ts';
import type { ReadReq, ReadResp } from './protocol.ts';

export type ServerReadOptions = Readonly<{
  /** Maximum time that the server may take until the next message. Time in which the consumer is busy does not count. Default: no limit. */
  idleMs?: number;
  signal?: AbortSignal;
}>;

/**
 * The messages of one Read call, in groups of those that have arrived. The server stops sending while no messages are requested. The
 * call ends with the iteration, also after `break`. An abort ends it without an error.
 */
export async function* serverRead(
  connection: Connection,
  request: ReadReq,
  { idleMs, signal }: ServerReadOptions = {},
): AsyncGenerator<readonly ReadResp[]> {
  if (signal?.aborted) return;
  const { call, arrived, waiting, failed } = await connection.read(request);
  const incoming = new Incoming(call, arrived);
  // A subscription may be quiet for a long time; a read may not.
  const next = idleMs === undefined ? () => incoming.next() : () => whileWaiting(waiting, incoming.next(idleMs));
  const abort = (): void => call.cancel();
  signal?.addEventListener('abort', abort);
  connection.closed.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    for (let messages = await next(); messages !== undefined; messages = await next()) yield messages;
    if (incoming.fault === undefined || signal?.aborted) return;
    await failed(incoming.fault);
    throw incoming.fault;
  } finally {
    signal?.removeEventListener('abort', abort);
    connection.closed.removeEventListener('abort', abort);
    call.cancel();
  }
}

const whileWaiting = async <T>(waiting: () => () => void, work: Promise<T>): Promise<T> => {
  const stopWaiting = waiting();
  return work.finally(stopWaiting);
};
