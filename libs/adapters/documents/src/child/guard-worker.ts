import { workerData } from 'node:worker_threads';

/** Interval between checks, milliseconds. */
const INTERVAL_MS = 100;

const { parentPid, maxRssBytes } = workerData as { parentPid: number; maxRssBytes: number };

/**
 * Runs in a thread next to the parser, which cannot watch itself while it is busy. Kills the process if its parent is gone (otherwise it
 * would run forever) or if it uses too much memory while the parent is too busy to notice.
 */
setInterval(() => {
  if (process.ppid !== parentPid || process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGKILL');
}, INTERVAL_MS);
