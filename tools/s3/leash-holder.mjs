/**
 * Runs a program for `leash.mjs`, and ends it when standard input ends. That happens whenever the process at the other end of
 * the pipe dies, even after SIGKILL. A test tool, not for production.
 *
 *   node tools/s3/leash-holder.mjs <program> <argument>...
 */
import { spawn } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
// The program writes to standard error only, so that its output is not mistaken for a line of main.mjs.
const child = spawn(program, args, { stdio: ['ignore', process.stderr, process.stderr] });
child.once('error', (error) => {
  console.error(`${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
process.stdin.resume().once('close', () => child.kill('SIGKILL'));
// A Ctrl-C reaches the whole process group: only the end of the pipe counts.
process.on('SIGINT', () => undefined);
process.send?.({ pid: child.pid });
