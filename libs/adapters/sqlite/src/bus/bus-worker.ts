/**
 * The thread that owns the queue file. A flush to disk may take many milliseconds; in this thread it blocks no other work. Calls that
 * arrive while it is busy are executed together in one transaction.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BusCall, FromWorker, ToWorker } from './bus-operations.ts';
import { BusQueue } from './bus-queue.ts';
import { GroupCommit } from './group-commit.ts';
import { faultOf, openQueueFile } from './queue-file.ts';

/** Limits how long the first call of a transaction waits. */
const MAX_CALLS_PER_TRANSACTION = 256;

const port = parentPort;
if (port === null) throw new Error('bus-worker is started by openSqliteMessageBus');
const { file } = workerData as { file: string };
const send = (message: FromWorker): void => port.postMessage(message);

const serve = (): void => {
  const db = openQueueFile(file);
  const commit = new GroupCommit(db, new BusQueue(db), file);
  port.on('message', (first: ToWorker) => {
    const calls: BusCall[] = [];
    let message: ToWorker | undefined = first;
    while (message !== undefined && message !== 'close') {
      calls.push(message);
      message = calls.length < MAX_CALLS_PER_TRANSACTION ? (receiveMessageOnPort(port)?.message as ToWorker | undefined) : undefined;
    }
    if (calls.length > 0) send(commit.apply(calls));
    if (message !== 'close') return;
    commit.close();
    port.close();
  });
  send('open');
};

try {
  serve();
} catch (error) {
  send(faultOf(error, file));
}
