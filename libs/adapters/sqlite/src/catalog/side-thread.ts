import { WorkerChannel } from '../log/worker-channel.ts';
import type { SideCalls } from './side-calls.ts';

/** Starts with the first statement; `close` before the main thread's connection is closed, which then folds what is left. */
export const sideThread = (file: string): WorkerChannel<SideCalls> =>
  new WorkerChannel<SideCalls>(`the thread beside ${file}`, new URL(import.meta.url.endsWith('.ts') ? './side-worker.ts' : './side-worker.js', import.meta.url), { file });
