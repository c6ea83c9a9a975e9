import { workerData } from 'node:worker_threads';

/** How often to look, milliseconds. */
const INTERVAL_MS = 100;

const { parentPid, maxRssBytes } = workerData as { parentPid: number; maxRssBytes: number };

/**
 * Runs beside the parser, which cannot watch itself while it is busy. Ends the process when its parent is gone (it would go on
 * for ever) or when it swells while the parent is too busy to notice.
 */
setInterval(() => {
  if (process.ppid !== parentPid || process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGKILL');
}, INTERVAL_MS);
