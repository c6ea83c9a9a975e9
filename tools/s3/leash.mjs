import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HOLDER = fileURLToPath(new URL('./leash-holder.mjs', import.meta.url));

/**
 * Starts a server that cannot outlive this process, however it ends: a small process between the two runs the
 * server and watches a pipe from here. (After SIGKILL, the parent runs no handler, so it cannot do this itself.)
 * This process ends when the server does.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ pid: number, stop: () => Promise<void> }>} the server's own process id; `stop` is SIGKILL and waits
 */
export const onLeash = async (program, args, env = process.env) => {
  const holder = spawn(process.execPath, [HOLDER, program, ...args], { stdio: ['pipe', 'inherit', 'inherit', 'ipc'], env });
  let stopping = false;
  const ended = once(holder, 'exit').then(([code]) => {
    if (stopping) return;
    console.error(`${program} exited with ${code}`);
    process.exit(1);
  });
  const [{ pid }] = await once(holder, 'message');
  return {
    pid,
    stop: async () => {
      stopping = true;
      holder.stdin.end();
      await ended;
    },
  };
};

/** A port on which no process listens. @returns {Promise<number>} */
export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Resolves when a server accepts connections on this port. @param {number} port @param {number} withinMs */
export const listening = async (port, withinMs) => {
  for (const until = Date.now() + withinMs; ; await sleep(20)) {
    const accepted = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true))).once('error', () => resolve(false));
    });
    if (accepted) return;
    if (Date.now() > until) throw new Error(`no server listens on port ${port} after ${withinMs} ms`);
  }
};
