import type { Connection } from './connection.ts';
import { Incoming } from './incoming.ts';
import type { ReadReq, ReadResp } from './protocol.ts';

export type ServerReadOptions = Readonly<{
  /** Longest that the server may take until the next message; not counted while the consumer is busy. Default: for ever. */
  idleMs?: number;
  signal?: AbortSignal;
}>;

/**
 * The messages of one Read call, as many at a time as have come in: the server stops sending when nobody asks. The call ends
 * with the iteration, also by `break`. An abort ends it without an error.
 */
export async function* serverRead(
  connection: Connection,
  request: ReadReq,
  { idleMs, signal }: ServerReadOptions = {},
): AsyncGenerator<readonly ReadResp[]> {
  if (signal?.aborted) return;
  const { call, arrived, waiting, failed } = await connection.read(request);
  const incoming = new Incoming(call, arrived);
  // A subscription may be quiet for long; a read may not.
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
