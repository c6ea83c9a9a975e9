/**
 * One address for the three services, like an ingress: routes by path, distributes over replicas, and tries the next replica
 * if one does not accept the connection (for example during a restart). A tool for one machine; docker/ has a real one.
 */
import { createServer, request as send } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROOF_PATH, proofOf } from '@palimpsest/backup/local-server';
import { servicePaths } from '@palimpsest/contracts/http';

const PATHS = servicePaths();

/** Everything that is not a route of one service belongs to the query service: the console, the API description, health checks. */
const serviceFor = (url) =>
  PATHS.find(({ prefix }) => url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`))?.service ?? 'query';

/** How long to look for a replica before the caller gets an error. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;
/** How long a request with a large body waits for a refusal before its body is sent. */
const EARLY_ANSWER_MS = 100;
const LARGE_BYTES = 1024 * 1024;

/** Limits for reading the rest of a request that was answered early: time and size. */
const LINGER_MS = 3_000;
const LINGER_BYTES = 4 * 1024 * 1024;

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection']);
const endToEnd = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

const unavailable = (response, detail) => {
  if (response.headersSent) return response.destroy();
  const body = JSON.stringify({
    type: 'urn:palimpsest:problem:Unavailable',
    title: 'Not available',
    status: 503,
    detail,
    code: 'Unavailable',
  });
  response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' }).end(body);
};

/**
 * Ends an answer that was sent before the whole body arrived: closes the connection after reading the rest, within limits. If it were closed
 * with unread bytes, it would be reset and the answer lost; if it stayed open, it would be stuck.
 */
const endEarly = (incoming, outgoing) => {
  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.on('data', (part) => (bytes += part.length) > LINGER_BYTES && incoming.pause());
  for (const event of ['end', 'close', 'error']) incoming.once(event, end);
  incoming.resume();
};

/** Sends the request to one replica. Returns false if the replica did not accept it and nothing of it was sent. */
const forward = (incoming, outgoing, target) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(target);
    // A new connection: a stopping replica may close one that is kept open just as a request is sent on it. But it must not request to be
    // closed with the answer: a replica that answers before it has the whole body would reset it, and its answer would be lost.
    const headers = { ...endToEnd(incoming.headers), host: incoming.headers.host, connection: 'keep-alive' };
    const upstream = send({ hostname, port, method: incoming.method, path: incoming.url, headers, agent: false });
    let connected = false;
    let answered = false;
    upstream.once('socket', (socket) =>
      socket.once('connect', async () => {
        connected = true;
        upstream.flushHeaders();
        // A body that is too large is refused by its announced length, and its content is never read.
        if (Number(incoming.headers['content-length'] ?? 0) > LARGE_BYTES) await sleep(EARLY_ANSWER_MS);
        if (!answered) incoming.pipe(upstream);
      }),
    );
    upstream.once('response', (answer) => {
      answered = true;
      const isEarly =
        !incoming.complete && (incoming.headers['transfer-encoding'] !== undefined || Number(incoming.headers['content-length'] ?? 0) > 0);
      outgoing.writeHead(answer.statusCode ?? 502, { ...endToEnd(answer.headers), ...(isEarly ? { connection: 'close' } : {}) });
      answer.pipe(outgoing, { end: !isEarly });
      if (isEarly) answer.once('end', () => (incoming.unpipe(upstream), endEarly(incoming, outgoing)));
      answer.once('error', () => outgoing.destroy());
      resolve(true);
    });
    upstream.on('error', (error) => {
      if (answered) return void incoming.unpipe(upstream);
      if (!connected) return resolve(false);
      incoming.unpipe(upstream).resume(); // read what the caller still sends: otherwise its connection would be stuck
      unavailable(outgoing, `the service ended during the request (${error.code ?? error.message})`);
      resolve(true);
    });
    outgoing.once('close', () => upstream.destroy());
  });

/**
 * @param {(service: string) => readonly string[]} replicasOf the addresses of a service's running replicas
 * @param {number} [port]
 * @param {string} [localKey] the key of this installation for the command line on this machine; the gateway proves that it knows it
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export const startGateway = async (replicasOf, port = 0, localKey = undefined) => {
  let turn = 0;
  let url = '';
  const prove = (incoming, outgoing) => {
    const nonce = new URL(incoming.url, url).searchParams.get('nonce') ?? '';
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ proof: proofOf(localKey, url, nonce) }));
  };
  const handle = async (incoming, outgoing) => {
    if (localKey !== undefined && incoming.url.split('?', 1)[0] === PROOF_PATH) return prove(incoming, outgoing);
    const service = serviceFor(incoming.url);
    for (const until = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      const replicas = replicasOf(service);
      const first = turn++;
      for (let i = 0; i < replicas.length; i++) if (await forward(incoming, outgoing, replicas[(first + i) % replicas.length])) return;
      if (incoming.destroyed) return;
      if (performance.now() > until) return unavailable(outgoing, `no replica of the ${service} service is available`);
    }
  };
  const server = createServer((incoming, outgoing) => handle(incoming, outgoing).catch((error) => unavailable(outgoing, error.message)));
  server.requestTimeout = 0;
  // Clients close idle connections. If the server closed them (Node's default is 5 s), a request sent at that moment would get no answer.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
