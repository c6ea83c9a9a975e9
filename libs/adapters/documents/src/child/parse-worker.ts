import { Worker } from 'node:worker_threads';
import { parseFile, rejectionFor } from '../parse-file.ts';
import { lockDown } from './lock-down.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** The parser process: parses one file at a time for `ParserProcess`. Argument: the memory limit in bytes. */
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

/** A garbage collection (about 50 ms) is only worth it above this share of the limit, and after this growth. */
const COLLECT_SHARE = 0.35;
const COLLECT_GROWTH = 50_000_000;
let afterLastCollection = 0;

/** Frees the memory of the last file, so that the next one has the whole limit available. */
function collectGarbage(): void {
  const memory = process.memoryUsage.rss();
  if (memory < Math.max(maxRssBytes * COLLECT_SHARE, afterLastCollection + COLLECT_GROWTH)) return;
  globalThis.gc?.();
  afterLastCollection = process.memoryUsage.rss();
}

process.on('message', (request: ParseRequest) => {
  void parseFile(request.input, request.limits).then((outcome) => {
    collectGarbage();
    reply({ type: 'outcome', outcome });
  });
});

// A reader threw in a timer or stream: reject the file and exit, because the state of the process is unknown.
process.on('uncaughtException', (error) => reply({ type: 'outcome', outcome: rejectionFor(error) }, () => process.exit(1)));

process.on('disconnect', () => process.exit(0));

reply({ type: 'ready' });
