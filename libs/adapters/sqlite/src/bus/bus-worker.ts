/**
 * The thread that owns the queue file: a flush to disk may take many milliseconds, and here it holds up nobody else.
 * While it works, calls pile up; it then takes all of them into one transaction.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BusCall, FromWorker, ToWorker } from './bus-operations.ts';
import { BusQueue } from './bus-queue.ts';
import { GroupCommit } from './group-commit.ts';
import { faultOf, openQueueFile } from './queue-file.ts';

/** Bounds how long the first of them waits. */
const MOST_CALLS_IN_ONE_TRANSACTION = 256;

const port = parentPort;
if (port === null) throw new Error('bus-worker is started by openSqliteMessageBus');
const { file } = workerData as { file: string };
const tell = (message: FromWorker): void => port.postMessage(message);

const serve = (): void => {
  const db = openQueueFile(file);
  const commit = new GroupCommit(db, new BusQueue(db), file);
  port.on('message', (first: ToWorker) => {
    const calls: BusCall[] = [];
    let message: ToWorker | undefined = first;
    while (message !== undefined && message !== 'close') {
      calls.push(message);
      message = calls.length < MOST_CALLS_IN_ONE_TRANSACTION ? (receiveMessageOnPort(port)?.message as ToWorker | undefined) : undefined;
    }
    if (calls.length > 0) tell(commit.apply(calls));
    if (message !== 'close') return;
    commit.close();
    port.close();
  });
  tell('open');
};

try {
  serve();
} catch (error) {
  tell(faultOf(error, file));
}
