export { inTime } from './concurrency/in-time.ts';
export { runCooperatively, runToCompletion } from './concurrency/run-cooperatively.ts';
export { pause } from './concurrency/pause.ts';
export { BACKGROUND, forEachSequentially, type Pace } from './concurrency/for-each-sequentially.ts';
export { PausableLoop } from './concurrency/pausable-loop.ts';
export { PositionWaiters } from './concurrency/position-waiters.ts';
export { removeFolder, syncFolder } from './files/durable-folders.ts';
export { fileStamps, sameStamps, shortened, type FileStamp } from './files/file-stamps.ts';
export { LONGEST_TOKEN, TextTokens } from './text/text-tokens.ts';
