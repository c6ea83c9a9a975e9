import { WorkerChannel } from '../log/worker-channel.ts';
import type { SideCalls } from './side-calls.ts';

/**
 * The thread starts with the first statement. Call `close` before closing the main thread's connection, which then runs the last
 * WAL checkpoint.
 */
export const sideThread = (file: string): WorkerChannel<SideCalls> =>
  new WorkerChannel<SideCalls>(
    `the background thread of ${file}`,
    new URL(import.meta.url.endsWith('.ts') ? './side-worker.ts' : './side-worker.js', import.meta.url),
    { file },
  );
