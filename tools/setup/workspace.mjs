/**
 * Shared by all scripts here: paths, the pinned Node, and child processes that run on it.
 * Runs on any Node of the machine (>= 20) and imports nothing from node_modules, since it must work before they exist.
 */
import { spawn } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
export const inRoot = (...parts) => join(ROOT, ...parts);

/** The Node of this project (a dev dependency); it exists only after the dependencies are installed. */
export const PINNED_NODE = inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const BIN = inRoot('node_modules', '.bin');
const withoutPinnedBin = (path) => path.split(delimiter).filter((folder) => resolve(folder) !== BIN);

/** No background processes, no telemetry, no download by an install script. */
const QUIET = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', SCARF_ANALYTICS: 'false', ONNXRUNTIME_NODE_INSTALL: 'skip' };

/** Where Node caches compiled code without types: a worker that runs from source starts in a third of the CPU time. */
const COMPILED = inRoot('node_modules', '.cache', 'palimpsest-compiled');

/** For programs of this project: the pinned Node is first in PATH. */
export const pinnedEnvironment = () => ({
  NODE_COMPILE_CACHE: COMPILED,
  ...process.env,
  ...QUIET,
  PATH: [BIN, ...withoutPinnedBin(process.env.PATH ?? '')].join(delimiter),
});

/** For npm, which must not run on a Node version that it is about to delete. */
export const systemEnvironment = () => ({
  ...process.env,
  ...QUIET,
  PATH: withoutPinnedBin(process.env.PATH ?? '').join(delimiter),
});

/** Prints one line of progress on stderr, so that stdout stays free for results. */
export const say = (line) => process.stderr.write(`setup: ${line}\n`);

/** A failure that the user can fix; printed as one line, without a stack trace. */
export class SetupError extends Error {}

/**
 * Runs a program to its end and returns its exit code (128 + n if signal n ended it).
 * Signals to this process are forwarded, except a Ctrl-C on a terminal, which also reaches the child directly.
 */
export const run = (command, args, { env = pinnedEnvironment(), stdio = 'inherit', onStart } = {}) =>
  new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio, shell: process.platform === 'win32' });
    const handOn = (signal) => {
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, handOn);
    onStart?.(child);
    child.once('error', failed);
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, handOn);
      done(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0));
    });
  });

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Runs a script's `main`, which returns the exit code; a SetupError becomes one line and exit code 1. */
export const runMain = async (main) => {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
};
