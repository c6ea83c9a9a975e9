import { parentPort } from 'node:worker_threads';
import type { Boarder } from './shared-thread.ts';

/** The one thread: runs the scripts of the others, each with a port of its own where it looks for its parent's. */
let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (boarder: Boarder) => {
  last = last.then(() => {
    Object.assign(globalThis, { boarder });
    return import(boarder.script);
  });
});
