import { Worker } from 'node:worker_threads';
import { parseFile, rejectionFor } from '../parse-file.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** The parsing process: one file at a time, as asked by `ParserProcess`. Its arguments: the memory limit in bytes. */
const maxRssBytes = Number(process.argv[2]);
const ownUrl = import.meta.url;

const guard = new Worker(new URL(ownUrl.endsWith('.ts') ? './guard-worker.ts' : './guard-worker.js', ownUrl), {
  workerData: { parentPid: process.ppid, maxRssBytes },
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
});
guard.unref();

const reply = (message: ParseReply, then?: () => void): void => {
  process.send?.(message, undefined, undefined, then === undefined ? undefined : () => then());
};

process.on('message', (request: ParseRequest) => {
  void parseFile(request.input, request.limits).then((outcome) => reply({ type: 'outcome', outcome }));
});

// A reader that throws in a timer or stream of its own: the file is to blame, and the process is not to be trusted any more.
process.on('uncaughtException', (error) => reply({ type: 'outcome', outcome: rejectionFor(error) }, () => process.exit(1)));

process.on('disconnect', () => process.exit(0));

reply({ type: 'ready' });
