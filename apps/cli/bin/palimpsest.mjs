#!/usr/bin/env node
/**
 * The command `palimpsest`. Runs the built command line on the Node that the project pins: in this process if it already
 * runs on that Node (or a newer one), otherwise in a child process. Plain JavaScript without imports from packages, so that
 * it can report a clone that is not set up.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MINIMUM = [24, 9];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = here('../dist/main.js');
const pinnedNode = here(`../../../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`);

const isNewEnough = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
};

/** On a terminal, Ctrl-C already reaches the child. Other signals are forwarded, and the child's exit code becomes ours. */
const runOnPinnedNode = () => {
  const child = spawn(pinnedNode, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  child.once('close', (code, signal) => {
    process.removeAllListeners(signal ?? '');
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
};

if (!existsSync(main) || (!isNewEnough() && !existsSync(pinnedNode))) {
  process.stderr.write('palimpsest: not built yet: run `npm run setup` in the clone first\n');
  process.exitCode = 2;
} else if (isNewEnough()) {
  await import(new URL('../dist/main.js', import.meta.url).href);
} else {
  runOnPinnedNode();
}
