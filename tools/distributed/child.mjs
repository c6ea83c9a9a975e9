/** Our programs as child processes: their readiness and their end. None outlives this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Sufficient for a JVM on a busy machine. */
const READY_MS = 180_000;

/**
 * Starts `node <script> <args>` and resolves when a line of its standard output matches `ready`.
 *
 * @param {string} script
 * @param {readonly string[]} args
 * @param {{ ready: RegExp, env?: NodeJS.ProcessEnv, name?: string, onLine?: (line: string) => void, onError?: (text: string) => void, onSpawn?: (kill: () => void) => void }} options
 * @returns {Promise<import('./child.d.mts').Child>}
 */
export const startChild = async (
  script,
  args,
  { ready, env = process.env, name = script, onLine = () => {}, onError = () => {}, onSpawn = () => {} },
) => {
  const process_ = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  running.add(process_);
  onSpawn(() => process_.kill('SIGKILL'));
  const lines = {};
  let errors = '';
  const ended = once(process_, 'close').then(([code, signal]) => (running.delete(process_), { code, signal, errors }));
  process_.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-20_000);
    onError(text);
  });
  const match = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => (process_.kill('SIGKILL'), reject(new Error(`${name} is not ready in time: ${errors}`))), READY_MS);
    let unfinished = '';
    process_.stdout.setEncoding('utf8').on('data', (text) => {
      const parts = (unfinished + text).split('\n');
      unfinished = parts.pop() ?? '';
      for (const line of parts) {
        const [word, ...rest] = line.split(' ');
        lines[word] = rest.join(' ');
        onLine(line);
        const found = ready.exec(line);
        if (!found) continue;
        clearTimeout(timer);
        resolve(found);
      }
    });
    ended.then(({ code, signal }) => (clearTimeout(timer), reject(new Error(`${name} exited (${code ?? signal}): ${errors}`))));
  });
  const end = (signal) => async () => {
    if (process_.exitCode === null && process_.signalCode === null) process_.kill(signal);
    return ended;
  };
  return {
    name,
    pid: process_.pid,
    address: match[1] ?? '',
    lines,
    ended,
    errors: () => errors,
    stop: end('SIGTERM'),
    kill: end('SIGKILL'),
    signal: (signal) => process_.kill(signal),
  };
};
