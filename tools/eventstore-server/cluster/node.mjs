/** One node of a cluster, started by `cluster.mjs`, which announces the leader to it. A replaced leader exits with 0. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchErrors } from '../batch-errors.mjs';
import { EventLog } from '../event-log.mjs';
import { fail, status } from '../protocol.mjs';
import { startServer } from '../server.mjs';
import { Replica } from './replica.mjs';
import { Replication, startReplicaServer } from './replication.mjs';

const [folder, name, version] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const file = join(folder, 'events.db');
const portFile = join(folder, 'port');
const lastPort = () => {
  try {
    return Number(readFileSync(portFile, 'utf8'));
  } catch {
    return 0;
  }
};
/** Numbers of the gossip protocol. */
const STATE = { unknown: 2, follower: 6, leader: 8 };

const replica = new Replica(file);
/** As last announced by `cluster.mjs`. */
let view = { leader: undefined, members: [] };
let log;
let leads = false;
const exit = () => process.exit(0);

/** A node of a cluster answers like the real one in its role: in-band to an append, with a status to a read. */
const member = {
  get log() {
    return log;
  },
  refusal: () => {
    if (leads) return undefined;
    const leader = view.members.find((one) => one.name === view.leader);
    if (!leader || view.leader === name)
      return { answer: batchErrors.notHandled('Server Is Not Ready'), error: fail(status.UNAVAILABLE, 'Server Is Not Ready') };
    const trailers = { exception: 'not-leader', 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(leader.port) };
    return { error: fail(status.NOT_FOUND, 'Leader info available', trailers) };
  },
  gossip: () =>
    view.members.map(({ name: of, port, alive }) => ({
      port,
      alive,
      state: view.leader === undefined ? STATE.unknown : of === view.leader ? STATE.leader : STATE.follower,
    })),
  close: () => log?.close(),
};

const lead = async (epoch) => {
  replica.promise(epoch);
  const replication = new Replication(replica, epoch, exit);
  log = new EventLog(file, { replicate: () => replication.reached(replica.end) });
  replica.beginEpoch(epoch);
  const portOf = (other) => () => view.members.find((one) => one.name === other).replicationPort;
  for (const other of view.members) if (other.name !== name) void replication.supply(other.name, portOf(other.name));
  // Events of older leaders are shown when another node has them.
  await replication.reached(replica.end);
  leads = true;
  process.send({ type: 'leads', epoch });
};

const handle = {
  ping: ({ number }) => process.send({ type: 'pong', number }),
  view: (announced) => {
    view = announced;
    if (log !== undefined && announced.leader !== undefined && announced.leader !== name) exit();
  },
  fence: ({ epoch }) => {
    if (log !== undefined) return exit();
    replica.promise(Math.max(epoch, replica.promised));
    process.send({ type: 'fenced', epoch, lastEpoch: replica.lastEpoch, end: replica.end });
  },
  lead: ({ epoch }) => void lead(epoch),
};
process.on('message', (message) => handle[message.type](message));
process.on('disconnect', exit);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, exit);

const replicationPort = await startReplicaServer(replica, () => log === undefined);
const server = await startServer({ member, port: lastPort(), ...(version ? { version } : {}) });
writeFileSync(portFile, String(server.port));
process.send({ type: 'ready', port: server.port, replicationPort });
