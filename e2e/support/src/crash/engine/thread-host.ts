import { parentPort } from 'node:worker_threads';
import type { HostedScript } from './shared-thread.ts';

/** The shared thread: runs the scripts of all threads, each with its own port instead of `parentPort`. */
let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (hosted: HostedScript) => {
  last = last.then(() => {
    Object.assign(globalThis, { hosted });
    return import(hosted.script);
  });
});
