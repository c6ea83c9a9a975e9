import { fork, type ChildProcess } from 'node:child_process';
import { codeFolders } from './code-folders.ts';

const MEGABYTE = 1024 * 1024;
/** Share of the memory limit for V8's heap; the rest is for memory outside of the heap. */
const HEAP_SHARE = 0.85;
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const SCRIPT = new URL(FROM_SOURCE ? '../child/parse-worker.ts' : '../child/parse-worker.js', import.meta.url);

/**
 * Starts a process that handles untrusted files. It can only read its own code; files to parse are sent in messages. It may not write
 * files, start programs or load native code, and its environment contains no secrets. `child/lock-down.ts` blocks what the permission
 * model of Node 24 does not cover; SQLite, which that model does not cover either, is disabled.
 */
export const startParserProcess = (maxRssBytes: number, script: URL = SCRIPT): ChildProcess =>
  fork(script, [String(maxRssBytes)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { TZ: 'UTC', LANG: 'C.UTF-8' },
    execArgv: [
      `--max-old-space-size=${Math.max(64, Math.floor((maxRssBytes * HEAP_SHARE) / MEGABYTE))}`,
      '--permission',
      ...codeFolders().map((folder) => `--allow-fs-read=${folder}`),
      '--allow-worker',
      '--no-experimental-sqlite',
      '--no-warnings',
      '--expose-gc',
      ...(FROM_SOURCE ? ['--conditions=@palimpsest/source'] : []),
    ],
  });
