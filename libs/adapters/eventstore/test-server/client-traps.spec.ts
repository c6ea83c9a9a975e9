import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { START, type Position } from '@palimpsest/knowledge/values';
import { Connection } from '../src/connection.ts';
import { Feed } from '../src/feed.ts';
import { LogHead } from '../src/log-head.ts';
import { Namespace } from '../src/namespace.ts';
import { aNamespace, startServer, type OwnServer } from '../test/a-server.ts';
import { aStream, closeLogs, collect, eventually, events, Following, idsOf, IMPATIENT, openLog } from '../test/fixture.ts';

/** One test for each trap of the client that the README lists, with its number there. */
describe('EventStoreLog, for the traps of the client 6.2.1,', () => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterEach(closeLogs);
  afterAll(() => server.dispose());
  const openHere = (part: object = {}) => openLog({ connectionString: server.url, namespace: aNamespace(), ...part });
  const stream = aStream();

  it('1: fails with Unavailable, not a raw gRPC error, on append and read when the server is down', async () => {
    const log = await openHere(IMPATIENT);
    await server.process.kill();
    for (const failing of [log.append(stream, events(1), 'no-stream'), log.head(), collect(log.readAll()), log.setRetention(stream, 5)])
      expect(await Promise.resolve(failing).catch((error: unknown) => error)).toMatchObject({ code: 'Unavailable', retryable: true });
    await server.process.restart();
    expect((await log.append(stream, events(1), 'no-stream')).outcome).toBe('appended');
  });

  it("2: keeps the failure of one server out of another's appends, and throws no other errors", async () => {
    const dying = await startServer();
    const [doomed, healthy] = [await openLog({ connectionString: dying.url, ...IMPATIENT }), await openHere()];
    const stray: unknown[] = [];
    const note = (error: unknown): void => void stray.push(error);
    process.on('uncaughtException', note).on('unhandledRejection', note);
    const lost = Array.from({ length: 50 }, (_, at) => doomed.append(aStream(at), events(1), 'no-stream').catch((error: unknown) => error));
    const kept = Array.from({ length: 200 }, (_, at) => healthy.append(aStream(at), events(1), 'no-stream'));
    await dying.process.kill();
    expect((await Promise.all(kept)).map(({ outcome }) => outcome)).toEqual(kept.map(() => 'appended'));
    for (const result of await Promise.all(lost)) if (result instanceof Error) expect(result).toBeInstanceOf(Unavailable);
    expect((await healthy.append(stream, events(1), 'no-stream')).outcome).toBe('appended');
    expect(healthy.stats.appendRetries).toBe(0);
    process.off('uncaughtException', note).off('unhandledRejection', note);
    expect(stray).toEqual([]);
    await doomed.close();
    await dying.dispose();
  });

  it('3: ends an append to a frozen server at its own deadline, long before a keepalive would', async () => {
    const log = await openHere(IMPATIENT);
    server.process.freeze();
    const appending = log.append(stream, events(1), 'no-stream').catch((error: unknown) => error);
    expect(await Promise.race([appending, sleep(9_000, 'still waiting', { ref: false })])).toBeInstanceOf(Unavailable);
    server.process.thaw();
  });

  it('4: subscribes again after a restart of the server, which the client never does', async () => {
    const log = await openHere();
    const following = new Following(log);
    const [before, after] = [events(3), events(3)];
    await log.append(stream, before, 'no-stream');
    await eventually(() => following.seen.length === 3);
    await server.process.restart();
    await log.append(stream, after, 2);
    await eventually(() => following.seen.length >= 6);
    await following.stop();
    expect(idsOf(following.seen)).toEqual(idsOf([...before, ...after]));
  });

  it('5: finds out the outcome of the appends that were in progress at a kill', async () => {
    const log = await openHere({ totalMs: 30_000 });
    const appends = Array.from({ length: 50 }, (_, at) => log.append(aStream(at), events(1), 'no-stream'));
    await server.process.restart();
    expect((await Promise.all(appends)).map(({ outcome }) => outcome)).toEqual(appends.map(() => 'appended'));
    expect(await collect(log.readAll())).toHaveLength(50);
  });

  it('6: ends its calls on the server when a reader stops early, and lets the process exit when it is closed', async () => {
    const log = await openHere();
    await log.append(stream, events(2000, { data: { text: 'x'.repeat(200) } }), 'no-stream');
    for await (const _ of log.readAll()) break;
    for await (const _ of log.follow({ after: START, signal: new AbortController().signal })) break;
    await log.close();
    // gRPC leaves nothing that keeps a process alive: neither sockets nor timers of pending calls.
    await eventually(() => !process.getActiveResourcesInfo().includes('TCPSocketWrap'));
  });

  it('7: never reports delivery up to a checkpoint that ran ahead of the events', async () => {
    const log = await openHere();
    for (let at = 0; at < 10; at += 1)
      await log.append(stream, [...events(70), ...events(2, { type: 'Wanted' }), ...events(60)], at === 0 ? 'no-stream' : at * 132 - 1);
    const following = new Following(log, { types: ['Wanted'], maxBatch: 1 });
    await eventually(() => following.batches.at(-1)?.caughtUp === true);
    await following.stop();
    const all = idsOf(await collect(log.readAll({ types: ['Wanted'] })));
    let delivered = 0;
    for (const { events: batch, upTo } of following.batches) {
      delivered += batch.length;
      expect(idsOf(await collect(log.readAll({ types: ['Wanted'], from: upTo })))).toEqual(all.slice(delivered));
    }
    expect(delivered).toBe(20);
  });

  it('8: names the true revision of a conflict, and refuses an append without events', async () => {
    const log = await openHere();
    await log.append(stream, events(4), 'no-stream');
    expect(await log.append(stream, events(1), 'no-stream')).toEqual({ outcome: 'conflict', actual: 3 });
    expect(await log.append(aStream('none'), events(1), 3)).toEqual({ outcome: 'conflict', actual: 'no-stream' });
    await expect(log.append(aStream('none'), [], 'no-stream')).rejects.toThrow('at least one event');
  });

  it('9: reads no more from the server than its buffer holds, until the consumer asks', async () => {
    const namespace = aNamespace();
    const log = await openLog({ connectionString: server.url, namespace });
    for (let at = 0; at < 4; at += 1)
      await log.append(stream, events(500, { data: { text: 'x'.repeat(500) } }), at === 0 ? 'no-stream' : at * 500 - 1);
    const connection = new Connection(server.url);
    const here = new Namespace(namespace);
    let last: Position = START;
    const head = new LogHead(async () => START);
    const parts = { connection, namespace: here, head, onFault: () => undefined };
    const feed = new Feed(parts, START, here.typeRegex(undefined), 20, () => undefined);
    await eventually(() => !feed.empty);
    await sleep(500); // long enough for all of them
    let waiting = 0;
    for (let item = feed.take(); item !== undefined; item = feed.take()) {
      if (!item.event) continue;
      last = item.event.position;
      waiting += 1;
    }
    expect(waiting).toBeLessThanOrEqual(20);
    expect(last < (await log.head())).toBe(true);
    let rest = 0;
    await eventually(() => {
      for (let item = feed.take(); item !== undefined; item = feed.take()) if (item.event) rest += 1;
      return waiting + rest >= 2000;
    });
    expect(waiting + rest).toBe(2000);
    feed.stop();
    await connection.close();
  });
});
