import { createServer } from 'node:http';
import { describe } from './cluster.mjs';

/** Each node with its process, and the partitions that it leads. */
const overview = async ({ brokers, addresses }) => {
  const { alive, topics } = await describe(addresses.filter((_, i) => brokers[i].pid !== undefined));
  return brokers.map(({ id, pid, port }) => ({
    broker: id,
    pid: pid ?? null,
    port,
    registered: alive.includes(id),
    leads: Object.fromEntries(
      topics.map(({ name, partitions }) => [name, partitions.filter(({ leader }) => leader === id).map(({ partitionId }) => partitionId)]),
    ),
  }));
};

const ACTIONS = {
  '/kill': (broker) => broker.end('SIGKILL'),
  '/stop': (broker) => broker.end('SIGTERM'),
  '/start': (broker) => broker.start(),
};

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString() || '{}');
};

/** `POST /kill|/stop|/start {"broker": n}` returns when it is done (`/start`: when the port is open); `GET /brokers` returns the state. */
export const serveControl = async (cluster) => {
  const answer = async (request) => {
    if (request.method === 'GET' && request.url === '/brokers') return [200, await overview(cluster)];
    const act = request.method === 'POST' ? ACTIONS[request.url] : undefined;
    if (act === undefined) return [404, { error: 'expected POST /kill, /stop, /start or GET /brokers' }];
    const { broker: id } = await bodyOf(request);
    const broker = cluster.brokers.find((one) => one.id === id);
    if (broker === undefined) return [400, { error: `broker: expected one of ${cluster.brokers.map((one) => one.id)}` }];
    await act(broker);
    return [200, { broker: id, pid: broker.pid ?? null }];
  };
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request).catch((error) => [500, { error: String(error) }]);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
};
