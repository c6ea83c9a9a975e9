import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import process from 'node:process';
import workerThreads from 'node:worker_threads';

type Functions = Record<string, unknown>;

const replaceIn = (holder: object, names: readonly string[], refused: unknown): void => {
  for (const name of names) Object.defineProperty(holder, name, { value: refused, writable: false, configurable: false });
};

const functionsOf = (holder: object): string[] => Object.keys(holder).filter((name) => typeof (holder as Functions)[name] === 'function');

/**
 * Disables what no parser needs and the permission model of Node 24 does not cover: network, signals to other processes, and threads,
 * since a thread may be started without the permissions of its process. Call it after the guard thread was started. All network access
 * (fetch, http, tls) uses these functions; the permission model blocks the bindings below them.
 */
export const lockDown = (): void => {
  const refused = function (): never {
    throw Object.assign(new Error('A parser process may not use the network, threads or signals.'), { code: 'ERR_ACCESS_DENIED' });
  };
  replaceIn(net.Socket.prototype, ['connect'], refused);
  replaceIn(net.Server.prototype, ['listen'], refused);
  replaceIn(net, ['_createServerHandle'], refused);
  replaceIn(dgram.Socket.prototype, ['bind', 'connect', 'send'], refused);
  replaceIn(dgram, ['_createSocketHandle'], refused);
  replaceIn(dns, functionsOf(dns), refused);
  replaceIn(dns.promises, functionsOf(dns.promises), refused);
  replaceIn(workerThreads, ['Worker'], refused);
  replaceIn(process, ['kill'], refused);
  syncBuiltinESMExports();
};
