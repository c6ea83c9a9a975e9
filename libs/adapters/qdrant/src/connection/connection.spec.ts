import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Connection, type LeastVersion } from './connection.ts';
import { connectionSettings, layoutOf } from './options.ts';

/** A server that gives the answers sequentially, and repeats the last one. */
const answering = async (answers: readonly ((response: ServerResponse) => void)[]) => {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    const answer = answers[Math.min(seen.push(request), answers.length) - 1];
    request.resume().on('end', () => answer?.(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, close: () => (server.closeAllConnections(), server.close()) };
};
const json =
  (status: number, body: object, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, error: string) => json(status, { status: { error }, time: 0 });
const counted = json(200, { result: { count: 5 }, status: 'ok', time: 0 });

const asking = async (answers: readonly ((response: ServerResponse) => void)[], options = {}) => {
  const server = await answering(answers);
  const connection = new Connection(connectionSettings({ url: server.url, readRetryMs: 3_000, ...options }));
  const outcome = await connection
    .read('counting', (client) => client.count('c'))
    .then(
      (value) => value as unknown,
      (error: unknown) => error,
    );
  server.close();
  return { outcome, requests: server.seen };
};

describe('Connection', () => {
  it('retries after transient failures: 5xx, 429, a broken connection, an incomplete answer', async () => {
    const half = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"result"');
      setImmediate(() => response.destroy());
    };
    for (const trouble of [
      refusal(500, 'x'),
      refusal(503, 'x'),
      refusal(429, 'x'),
      (response: ServerResponse) => void response.destroy(),
      half,
    ])
      expect(await asking([trouble, counted])).toMatchObject({ outcome: { count: 5 }, requests: { length: 2 } });
  });

  it('requests uncompressed answers', async () => {
    expect((await asking([counted])).requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('waits as long as the server requests', async () => {
    const began = performance.now();
    expect(await asking([json(429, {}, { 'retry-after': '1' }), counted])).toMatchObject({ outcome: { count: 5 } });
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it('treats a missing collection as empty, and any other 404 as a wrong address', async () => {
    expect((await asking([refusal(404, "Not found: Collection `c` doesn't exist!")])).outcome).toBeUndefined();
    expect((await asking([refusal(404, 'no such page')])).outcome).toMatchObject({ code: 'StoreRefused' });
  });

  it('does not retry permanent failures: 400, 401, a bug of the program', async () => {
    expect(await asking([refusal(400, 'Wrong input: x'), counted])).toMatchObject({
      outcome: { code: 'StoreRefused' },
      requests: { length: 1 },
    });
    expect(await asking([refusal(401, 'key'), counted])).toMatchObject({ outcome: { code: 'StoreRefused' }, requests: { length: 1 } });
    const connection = new Connection(connectionSettings({ url: 'http://127.0.0.1:9' }));
    await expect(connection.read('x', () => Promise.reject(new RangeError('ours')))).rejects.toThrow('ours');
  });

  it('fails after the configured time with Unavailable and the message of the server', async () => {
    const { outcome } = await asking([refusal(503, 'overloaded')], { readRetryMs: 150 });
    expect(outcome).toMatchObject({ code: 'Unavailable', retryable: true });
    expect(String(outcome)).toContain('overloaded');
  });

  it('sends the key in its header, and keeps the path of the address', async () => {
    const server = await answering([counted]);
    const connection = new Connection(connectionSettings({ url: `${server.url}/qdrant/`, apiKey: 'secret' }));
    await connection.read('counting', (client) => client.count('c'));
    expect(server.seen[0]).toMatchObject({ url: '/qdrant/collections/c/points/count', headers: { 'api-key': 'secret' } });
    server.close();
  });

  it('does not treat an acknowledged update as completed', async () => {
    const update = (status: string) => json(200, { result: { operation_id: 1, status }, status: 'ok', time: 0 });
    const server = await answering([update('acknowledged'), update('wait_timeout'), update('completed')]);
    const connection = new Connection(connectionSettings({ url: server.url }));
    expect(await connection.update('writing', (client) => client.upsert('c', { wait: true, points: [{ id: 1, vector: {} }] }))).toBe(true);
    expect(server.seen).toHaveLength(3);
    server.close();
  });
});

describe('a server’s version', () => {
  const asked = async (version: unknown, least?: LeastVersion) => {
    const server = await answering([json(200, { title: 'qdrant', version })]);
    const connection = new Connection(connectionSettings({ url: server.url }), least);
    const outcome = await Promise.all([connection.requireVersion(), connection.requireVersion()]).then(
      () => 'fine',
      (error: unknown) => error,
    );
    server.close();
    return [outcome, server.seen.length];
  };

  it('is requested once, and must support what the index needs', async () => {
    for (const version of ['1.16.0', '1.19.3', '2.0.0']) expect(await asked(version)).toEqual(['fine', 1]);
    for (const version of ['1.15.5', '0.20.0', 'dev', undefined])
      expect((await asked(version))[0]).toMatchObject({ code: 'InvalidValue', field: 'url' });
    expect(await asked('1.19.0', 19)).toEqual(['fine', 1]);
    expect((await asked('1.18.3', 19))[0]).toMatchObject({ message: expect.stringContaining('1.19 or newer') });
  });
});

describe('options', () => {
  it('are refused with their name', () => {
    expect(() => connectionSettings({ url: 'qdrant:6333' })).toThrow('url: ');
    expect(() => connectionSettings({ url: 'http://q', timeoutMs: 0 })).toThrow('timeoutMs: ');
    expect(() => layoutOf({ url: 'http://q', prefix: 'a_b' })).toThrow('prefix: ');
    expect(() => layoutOf({ url: 'http://q', replicationFactor: 0 })).toThrow('replicationFactor: ');
  });

  it('use the port of the address, or 6333', () => {
    const portOf = (url: string) => connectionSettings({ url }).port;
    expect([portOf('http://q'), portOf('https://q:6334/x'), portOf('https://q:443'), portOf('http://q:80/')]).toEqual([
      6333,
      6334,
      null,
      null,
    ]);
  });
});
