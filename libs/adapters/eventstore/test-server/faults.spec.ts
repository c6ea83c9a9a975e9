import { Unavailable } from '@palimpsest/knowledge/errors';
import { openEventStoreLog, type EventStoreLog } from '../src/index.ts';
import { aNamespace, startServer, type OwnServer } from '../test/a-server.ts';
import { aStream, closeLogs, collect, eventually, events, Following, idsOf, IMPATIENT, openLog } from '../test/fixture.ts';

let server: OwnServer;
let log: EventStoreLog;
const stream = aStream();
beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  log = await openLog({ connectionString: server.url, namespace: aNamespace() });
});
afterEach(closeLogs);
afterAll(() => server.dispose());

/** Concurrent appends, each to its own stream. */
const appendToMany = (count: number) => Array.from({ length: count }, (_, at) => log.append(aStream(at), events(2), 'no-stream'));

describe('EventStoreLog, when the connection fails', () => {
  it.each(['failBefore', 'failAfter'])('records appends once and reports that correctly when the connection breaks: %s', async (fault) => {
    await server.faults({ [fault]: 3 });
    const results = await Promise.all(appendToMany(10));
    expect(results).toEqual(results.map(() => expect.objectContaining({ outcome: 'appended', revision: 1, repeated: false })));
    expect(await collect(log.readAll())).toHaveLength(20);
    expect(log.stats.appendRetries).toBeGreaterThan(0);
  });

  it('returns the true conflict after an append whose outcome was unknown', async () => {
    await log.append(stream, events(1), 'no-stream');
    await server.faults({ failAfter: 1 });
    expect(await log.append(stream, events(1), 5)).toEqual({ outcome: 'conflict', actual: 0 });
  });

  it.each(['unavailableMs', 'notLeaderMs'])('waits for a server that is not ready: %s', async (fault) => {
    await server.faults({ [fault]: 700 });
    const [result, read] = await Promise.all([log.append(stream, events(1), 'no-stream'), collect(log.readAll({ types: ['Never'] }))]);
    expect([result.outcome, read]).toEqual(['appended', []]);
  });

  it('is Unavailable when the server is not ready for too long', async () => {
    const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), ...IMPATIENT });
    await server.faults({ unavailableMs: 2500 });
    const failures = await Promise.all([
      impatient.append(stream, events(1), 'no-stream').catch((error: unknown) => error),
      impatient.head().catch((error: unknown) => error),
      collect(impatient.readStream(stream)).catch((error: unknown) => error),
    ]);
    for (const failure of failures) expect(failure).toBeInstanceOf(Unavailable);
    await server.faults({ unavailableMs: 0 });
    expect((await impatient.append(stream, events(1), 'no-stream')).outcome).toBe('appended');
  });

  it('is Unavailable within its timeout when the server is frozen, and works again afterwards', async () => {
    const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), ...IMPATIENT });
    const following = new Following(impatient);
    const first = events(2);
    await impatient.append(stream, first, 'no-stream');
    server.process.freeze();
    const lost = events(1);
    const began = Date.now();
    await expect(impatient.append(stream, lost, 1)).rejects.toThrow(Unavailable);
    await expect(impatient.head()).rejects.toThrow(Unavailable);
    expect(Date.now() - began).toBeLessThan(20 * IMPATIENT.totalMs);
    server.process.thaw();
    await eventually(() => following.seen.length >= 2);
    // Its outcome was unknown; a retry with the same ids and revision finds out.
    const again = await log.head().then(() => impatient.append(stream, lost, 1));
    expect(again).toMatchObject({ outcome: 'appended', revision: 2 });
    await eventually(() => following.seen.length >= 3);
    await following.stop();
    expect(idsOf(following.seen)).toEqual(idsOf([...first, ...lost]));
  });

  it('follows without gaps or duplicates when subscriptions are dropped repeatedly', async () => {
    const all = new Following(log, { maxBatch: 5 });
    const wanted = new Following(log, { types: ['Wanted'] });
    const written = [];
    for (let round = 0; round < 8; round += 1) {
      const batch = [...events(20), ...events(1, { type: 'Wanted' })];
      await log.append(stream, batch, round === 0 ? 'no-stream' : round * 21 - 1);
      written.push(...batch);
      await server.faults(round % 2 === 0 ? { dropSubscriptions: true } : { dropConnections: true });
    }
    await eventually(() => all.seen.length >= 168 && wanted.seen.length >= 8);
    await Promise.all([all.stop(), wanted.stop()]);
    expect(idsOf(all.seen)).toEqual(idsOf(written));
    expect(idsOf(wanted.seen)).toEqual(idsOf(written.filter(({ type }) => type === 'Wanted')));
  });

  it('answers in time when every answer of the server is late', async () => {
    await server.faults({ delayMs: 100 });
    const results = await Promise.all(appendToMany(20)).finally(() => server.faults({ delayMs: 0 }));
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'appended'));
  });

  it('does not open where no server listens', async () => {
    const opening = openEventStoreLog({ connectionString: 'esdb://127.0.0.1:1?tls=false', ...IMPATIENT });
    await expect(opening).rejects.toThrow(Unavailable);
  });
});
