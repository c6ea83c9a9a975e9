import { parentPort } from 'node:worker_threads';
import { WorkerFault, type CallMessage, type Calls, type Fault, type ReplyMessage } from './worker-protocol.ts';

export type CallHandlers<C extends Calls> = { [Kind in keyof C]: (request: C[Kind]['request']) => C[Kind]['answer'] };

/** Describes damage that SQLite found (`message`) in the words of the store that the worker serves. */
export type DescribeDamage = (message: string) => string;

export const damagedLog: DescribeDamage = (message) => `the event log is damaged (${message}): restore it from a backup`;

/** The worker's side of a `WorkerChannel`: executes calls sequentially, in the order of their arrival. */
export const serveCalls = <C extends Calls>(handlers: CallHandlers<C>, describeDamage: DescribeDamage): void => {
  const port = parentPort;
  if (port === null) throw new Error('serveCalls runs inside a worker thread only');
  port.on('message', (message: CallMessage<C>) => {
    port.postMessage(replyTo(handlers, message, describeDamage));
    if (message.kind === 'close') port.close();
  });
};

const replyTo = <C extends Calls>(
  handlers: CallHandlers<C>,
  { call, kind, request }: CallMessage<C>,
  describeDamage: DescribeDamage,
): ReplyMessage => {
  try {
    return { call, outcome: 'answered', answer: handlers[kind](request) };
  } catch (error) {
    return { call, outcome: 'failed', fault: faultOf(error, describeDamage) };
  }
};

// Result codes of SQLite: https://www.sqlite.org/rescode.html
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const faultOf = (error: unknown, describeDamage: DescribeDamage): Fault => {
  if (error instanceof WorkerFault) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  // The low byte is the primary code; the rest is the extended code.
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) return { code: 'Unavailable', message };
  return { code: 'Corrupt', message: describeDamage(message) };
};
