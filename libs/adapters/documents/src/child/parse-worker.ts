import { Worker } from 'node:worker_threads';
import { parseFile, rejectionFor } from '../parse-file.ts';
import { lockDown } from './lock-down.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** The parsing process: one file at a time, as asked by `ParserProcess`. Its arguments: the memory limit in bytes. */
const maxRssBytes = Number(process.argv[2]);
const ownUrl = import.meta.url;

const guard = new Worker(new URL(ownUrl.endsWith('.ts') ? './guard-worker.ts' : './guard-worker.js', ownUrl), {
  workerData: { parentPid: process.ppid, maxRssBytes },
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
});
guard.unref();
lockDown();

const reply = (message: ParseReply, then?: () => void): void => {
  process.send?.(message, undefined, undefined, then === undefined ? undefined : () => then());
};

/** Below this share of the limit a collection is not worth its time (some 50 ms), nor before the process has grown by so much. */
const TIDY_SHARE = 0.35;
const TIDY_GROWTH = 50_000_000;
let tidied = 0;

/** Gives back what the last file needed, so that the next one has the whole limit to itself. */
function tidy(): void {
  const memory = process.memoryUsage.rss();
  if (memory < Math.max(maxRssBytes * TIDY_SHARE, tidied + TIDY_GROWTH)) return;
  globalThis.gc?.();
  tidied = process.memoryUsage.rss();
}

process.on('message', (request: ParseRequest) => {
  void parseFile(request.input, request.limits).then((outcome) => {
    tidy();
    reply({ type: 'outcome', outcome });
  });
});

// A reader that throws in a timer or stream of its own: the file is to blame, and the process is not to be trusted any more.
process.on('uncaughtException', (error) => reply({ type: 'outcome', outcome: rejectionFor(error) }, () => process.exit(1)));

process.on('disconnect', () => process.exit(0));

reply({ type: 'ready' });
