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
 * Takes from this process what no parser needs and the permission model of Node 24 does not cover: network, signals to other processes, and threads,
 * since a thread may be started without the permissions of its process. To be called when the guard thread runs. Everything that speaks to the
 * network (fetch, http, tls) does it through these functions; the bindings below them are out of reach under the permission model.
 */
export const lockDown = (): void => {
  const refused = function (): never {
    throw Object.assign(new Error('A parsing process has no network, no threads and no signals.'), { code: 'ERR_ACCESS_DENIED' });
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
