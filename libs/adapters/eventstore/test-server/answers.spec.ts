import { ServerAway } from '@palimpsest/knowledge/errors';
import { START } from '@palimpsest/knowledge/values';
import { aNamespace, startServer, type OwnServer } from '../test/a-server.ts';
import { aStream, closeLogs, collect, eventually, events, Following, idsOf, IMPATIENT, openLog } from '../test/fixture.ts';
import type { EventStoreLog } from '../src/index.ts';

const NOT_WRITTEN = ['not-ready', 'busy', 'no-leader', 'unknown-reason'];
const OUTCOME_UNKNOWN = ['timeout', 'unknown', 'internal', 'unheard-of'];
/** With the code of the error that the caller gets. */
const FINAL = [
  ['access-denied', 'StoreRefused'],
  ['stream-deleted', 'Conflict'],
  ['bad-request', 'StoreRefused'],
  ['invalid-transaction', 'StoreRefused'],
  ['append-too-large', 'InvalidValue'],
  ['event-too-large', 'InvalidValue'],
] as const;

const PASSING_STATUSES = [
  'not-ready',
  'busy',
  'no-leader',
  'timeout',
  'unknown-message',
  'unknown-result',
  'handler',
  'internal',
  'unheard-of',
];
const FINAL_STATUSES = [
  ['access-denied', 'StoreRefused'],
  ['unauthenticated', 'StoreRefused'],
  ['invalid-argument', 'StoreRefused'],
  ['unimplemented', 'StoreRefused'],
] as const;

let server: OwnServer;
let log: EventStoreLog;
const stream = aStream();
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  log = await openLog({ connectionString: server.url, namespace: aNamespace() });
});
afterEach(async () => {
  await server.faults({ answer: { name: 'unknown', times: 0 }, end: { name: 'busy', times: 0 } });
  await closeLogs();
});
afterAll(() => server.dispose());

describe('EventStoreLog, for each answer to an append,', () => {
  it.each(NOT_WRITTEN)('retries an append that was not handled: %s', async (name) => {
    await server.faults({ answer: { name, times: 2 } });
    expect(await log.append(stream, events(2), 'no-stream')).toMatchObject({ outcome: 'appended', revision: 1, repeated: false });
    expect(log.stats.appendRetries).toBe(2);
    expect(await collect(log.readAll())).toHaveLength(2);
  });

  it.each(OUTCOME_UNKNOWN.flatMap((name) => [false, true].map((stored) => [name, stored] as const)))(
    'finds out the outcome of %s, whether the events were written or not (%s)',
    async (name, stored) => {
      await server.faults({ answer: { name, times: 1, stored } });
      expect(await log.append(stream, events(2), 'no-stream')).toMatchObject({ outcome: 'appended', revision: 1 });
      expect(await collect(log.readAll())).toHaveLength(2);
    },
  );

  it.each(FINAL)('does not repeat %s, which is %s', async (name, code) => {
    await server.faults({ answer: { name, times: 1 } });
    expect(await failureOf(log.append(stream, events(1), 'no-stream'))).toMatchObject({ code, retryable: false });
    expect(log.stats.appendRetries).toBe(0);
  });

  it.each([...NOT_WRITTEN, ...OUTCOME_UNKNOWN])(
    'waits, and then reports the server as away, never a conflict, when it gives no other answer until the timeout: %s',
    async (name) => {
      const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), attemptMs: 100, totalMs: 300, idleMs: 400 });
      await server.faults({ answer: { name, times: 1_000 } });
      expect(await failureOf(impatient.append(stream, events(1), 'no-stream'))).toBeInstanceOf(ServerAway);
    },
  );

  it.each([...NOT_WRITTEN, ...OUTCOME_UNKNOWN])('sets a retention despite %s', async (name) => {
    await log.append(stream, events(1), 'no-stream');
    await server.faults({ answer: { name, times: 1, stored: OUTCOME_UNKNOWN.includes(name) } });
    await log.setRetention(stream, 60);
    await log.setRetention(stream, 60);
  });

  it('looks for the leader again when a node handles nothing for half a second, and stays with a node that is busy', async () => {
    for (const [name, moves] of [
      ['not-ready', true],
      ['busy', false],
    ] as const) {
      const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), totalMs: 1_500 });
      await server.faults({ answer: { name, times: 1_000 } });
      expect(await failureOf(impatient.append(stream, events(1), 'no-stream'))).toBeInstanceOf(ServerAway);
      expect([name, impatient.stats.reconnects > 0]).toEqual([name, moves]);
    }
  });

  it('stays with a node that had less time to answer than an attempt takes', async () => {
    const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), totalMs: 100 });
    await server.faults({ delayMs: 700 });
    expect(await failureOf(impatient.append(stream, events(1), 'no-stream'))).toBeInstanceOf(ServerAway);
    await server.faults({ delayMs: 0 });
    expect(impatient.stats.reconnects).toBe(0);
  });

  it.each(FINAL)('fails to set a retention with the error of the server: %s', async (name, code) => {
    await server.faults({ answer: { name, times: 1 } });
    expect(await failureOf(log.setRetention(stream, 60))).toMatchObject({ code });
  });

  it.each(FINAL)('names neither stream nor server in an error that a caller may see: %s', async (name) => {
    await server.faults({ answer: { name, times: 1 } });
    expect(String(await failureOf(log.append(stream, events(1), 'no-stream')))).not.toMatch(/palimpsest|document-|127\.0\.0\.1/);
  });
});

describe('EventStoreLog, for each status of a read or subscription,', () => {
  it.each(PASSING_STATUSES)('continues reading after %s', async (name) => {
    await log.append(stream, events(3), 'no-stream');
    for (const read of [() => collect(log.readStream(stream)), () => collect(log.readAll()), () => log.head().then(() => [1, 2, 3])]) {
      await server.faults({ end: { name, times: 2, only: 'reads' } });
      expect(await read()).toHaveLength(3);
    }
    await server.faults({ end: { name, times: 2, only: 'reads' } });
    await log.setRetention(stream, 60);
  });

  it.each(PASSING_STATUSES)('reports the server as away when reads fail until the timeout: %s', async (name) => {
    const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), ...IMPATIENT, totalMs: 300 });
    await server.faults({ end: { name, times: 1_000, only: 'reads' } });
    expect(await failureOf(collect(impatient.readStream(stream)))).toBeInstanceOf(ServerAway);
  });

  it.each(FINAL_STATUSES)('does not repeat a read that ended in %s, which is %s', async (name, code) => {
    await server.faults({ end: { name, times: 1, only: 'reads' } });
    expect(await failureOf(collect(log.readStream(stream)))).toMatchObject({ code, retryable: false });
  });

  it.each(PASSING_STATUSES)('keeps following after %s', async (name) => {
    const written = events(3);
    await log.append(stream, written, 'no-stream');
    await server.faults({ end: { name, times: 2, only: 'subscriptions' } });
    const following = new Following(log);
    await eventually(() => following.seen.length >= 3);
    await following.stop();
    expect(idsOf(following.seen)).toEqual(idsOf(written));
  });

  it.each(FINAL_STATUSES)('stops following after %s, which is %s', async (name, code) => {
    await log.append(stream, events(1), 'no-stream');
    await server.faults({ end: { name, times: 1, only: 'subscriptions' } });
    expect(await failureOf(new Following(log).ended)).toMatchObject({ code });
  });

  it('asks the leader that a node names, for reads, appends, metadata and subscriptions', async () => {
    const written = events(2);
    await log.append(stream, written, 'no-stream');
    const work = [() => collect(log.readStream(stream)), () => log.append(stream, events(1), 1), () => log.setRetention(stream, 60)];
    for (const each of work) {
      await server.faults({ notLeaderMs: 300 });
      await each();
    }
    await server.faults({ notLeaderMs: 300 });
    const following = new Following(log);
    await eventually(() => following.seen.length >= 3);
    await following.stop();
    expect(idsOf(following.seen).slice(0, 2)).toEqual(idsOf(written));
  });

  it('stops reading a stream that is deleted during the read', async () => {
    await server.faults({ end: { name: 'stream-deleted', times: 1, only: 'reads' } });
    expect(await collect(log.readStream(stream))).toEqual([]);
  });
});

describe('EventStoreLog, for each status of the call that carries appends,', () => {
  it.each([...PASSING_STATUSES, 'ended'])('appends, and sets a retention, after %s', async (name) => {
    for (const work of [
      (to: EventStoreLog) => to.append(stream, events(2), 'no-stream'),
      (to: EventStoreLog) => to.setRetention(stream, 60),
    ]) {
      // A call that is already open is not refused.
      const fresh = await openLog({ connectionString: server.url, namespace: aNamespace() });
      await server.faults({ end: { name, times: 2, only: 'appends' } });
      await work(fresh);
      expect(fresh.stats.appendRetries).toBeGreaterThan(0);
    }
  });

  it.each([...PASSING_STATUSES, 'ended'])('reports the server as away when the call ends until the timeout: %s', async (name) => {
    const impatient = await openLog({ connectionString: server.url, namespace: aNamespace(), ...IMPATIENT, totalMs: 300 });
    await server.faults({ end: { name, times: 1_000, only: 'appends' } });
    expect(await failureOf(impatient.append(stream, events(1), 'no-stream'))).toBeInstanceOf(ServerAway);
    expect(await failureOf(impatient.setRetention(stream, 60))).toBeInstanceOf(ServerAway);
  });

  it.each([...FINAL_STATUSES, ['stream-deleted', 'Conflict'] as const])(
    'does not repeat an append after %s, which is %s',
    async (name, code) => {
      for (const work of [() => log.append(stream, events(1), 'no-stream'), () => log.setRetention(stream, 60)]) {
        await server.faults({ end: { name, times: 1, only: 'appends' } });
        expect(await failureOf(work())).toMatchObject({ code, retryable: false });
      }
      expect(log.stats.appendRetries).toBe(0);
    },
  );
});

describe.each(['23.10.6', '25.0.0'])('EventStoreLog, for a position where no event begins, on version %s,', (version) => {
  let own: OwnServer;
  beforeAll(async () => {
    own = await startServer(version);
  });
  afterAll(() => own.dispose());

  it('fails with InvalidValue immediately, for reads in both directions and for followers', async () => {
    const here = await openLog({ connectionString: own.url, namespace: aNamespace(), totalMs: 60_000 });
    await here.append(stream, events(3), 'no-stream');
    const [first] = await collect(here.readAll());
    const nowhere = ((first?.position ?? START) + 2n) as typeof START;
    for (const direction of ['forwards', 'backwards'] as const)
      for (const types of [undefined, ['Noted']])
        expect(await failureOf(collect(here.readAll({ from: nowhere, direction, ...(types ? { types } : {}) })))).toMatchObject({
          code: 'InvalidValue',
          field: 'position',
        });
    expect(await failureOf(new Following(here, { after: nowhere, types: ['Noted'] }).ended)).toMatchObject({
      code: 'InvalidValue',
      field: 'position',
    });
  });

  it('does not confuse it with the same message of a damaged server', async () => {
    const impatient = await openLog({ connectionString: own.url, namespace: aNamespace(), ...IMPATIENT, totalMs: 300 });
    await impatient.append(stream, events(3), 'no-stream');
    const [first] = await collect(impatient.readAll());
    await own.faults({ end: { name: 'unknown-result', times: 1_000, only: 'reads' } });
    expect(await failureOf(collect(impatient.readAll({ from: first?.position ?? START })))).toBeInstanceOf(ServerAway);
    await own.faults({ end: { name: 'unknown-result', times: 0 } });
  });
});
