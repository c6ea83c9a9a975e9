import { createServer } from 'node:net';
import { append, batchAppend, remove } from './appends.mjs';
import { EventLog } from './event-log.mjs';
import { Faults } from './faults.mjs';
import { fail, GossipService, grpc, ServerFeaturesService, status, StreamsService } from './protocol.mjs';
import { read } from './read-service.mjs';
import { gossipOf, serverFeatures } from './server-info.mjs';

const MAX_APPEND_BYTES = 1024 * 1024;
const HOST = '127.0.0.1';
/** The state of a member in the gossip protocol. */
const LEADER = 8;

const asStatus = (e) => (e.code !== undefined ? e : fail(status.UNKNOWN, `Exception was thrown by handler. ${e.message}`));

/** A server without a cluster: always the leader. */
const alone = (log) => ({ log, refusal: () => undefined, gossip: undefined, close: () => log.close() });

/**
 * The gRPC server on a log in `file`, or of a `member` of a cluster. Sockets are accepted here and passed to gRPC, so that a fault
 * can break them.
 * @param {{ file?: string, member?: object, port?: number, version?: string, recentIds?: number }} options `recentIds`: number of ids
 * that ANY remembers
 */
export const startServer = async ({
  file,
  recentIds,
  member = alone(new EventLog(file, { recentIds })),
  port = 0,
  version = '23.10.6',
}) => {
  const faults = new Faults(() => ({ host: HOST, port: sockets.address().port }));
  const store = async (call, name, expected, events) => {
    const instead = await faults.beforeAppend(call);
    if (instead?.stored === false) return instead;
    const refusal = member.refusal();
    if (refusal?.answer) return { error: refusal.answer };
    if (refusal) throw refusal.error;
    const result = await member.log.append(name, expected, events);
    await faults.afterAppend(call);
    return instead ?? result;
  };
  const checkLeads = () => {
    const refusal = member.refusal();
    if (refusal) throw refusal.error;
  };
  const unary = (answerTo) => (call, answer) =>
    faults
      .enter(call)
      .then(() => answerTo(call))
      .then(
        (response) => answer(null, response),
        (e) => answer(asStatus(e)),
      );
  const server = new grpc.Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024, 'grpc.max_send_message_length': -1 });
  const serialize = StreamsService.read.responseSerialize;
  const definition = {
    ...StreamsService,
    read: { ...StreamsService.read, responseSerialize: (m) => (Buffer.isBuffer(m) ? m : serialize(m)) },
  };
  server.addService(definition, {
    read: (call) =>
      faults
        .enter(call)
        .then(() => (checkLeads(), read(member.log, call, version)))
        .then(
          () => call.end(),
          (e) => call.emit('error', asStatus(e)),
        ),
    append: unary((call) => append(store, call, MAX_APPEND_BYTES)),
    // The client's first messages must not be missed: the call is set up before it is accepted or refused.
    batchAppend: (call) => {
      batchAppend(store, call, MAX_APPEND_BYTES);
      faults.enter(call, { batch: true }).catch((e) => call.emit('error', asStatus(e)));
    },
    delete: unary((call) => (checkLeads(), remove(member.log, call, false))),
    tombstone: unary((call) => (checkLeads(), remove(member.log, call, true))),
  });
  server.addService(ServerFeaturesService, serverFeatures(version));
  server.addService(GossipService, gossipOf(HOST, member.gossip ?? (() => [{ port: sockets.address().port, alive: true, state: LEADER }])));
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const sockets = createServer((socket) => {
    socket.setNoDelay(true);
    faults.connected(socket);
    injector.injectConnection(socket);
  });
  await new Promise((listening, failed) => sockets.once('error', failed).listen(port, HOST, listening));
  return {
    port: sockets.address().port,
    faults,
    stop: () => {
      sockets.close();
      server.forceShutdown();
      member.close();
    },
  };
};
