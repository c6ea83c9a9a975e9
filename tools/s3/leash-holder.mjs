/**
 * Runs a program for `leash.mjs`, and ends it when standard input ends: that happens however the process at the other end of
 * the pipe died, SIGKILL included. A test tool, not for production.
 *
 *   node tools/s3/leash-holder.mjs <program> <argument>...
 */
import { spawn } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
// The program writes to standard error only, so that nothing of it is taken for a line of main.mjs.
const child = spawn(program, args, { stdio: ['ignore', process.stderr, process.stderr] });
child.once('error', (error) => {
  console.error(`${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
process.stdin.resume().once('close', () => child.kill('SIGKILL'));
// A Ctrl-C goes to the whole group of processes: the end of the pipe is what counts.
process.on('SIGINT', () => undefined);
process.send?.({ pid: child.pid });
