import { type Journal } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { ServerAway } from '@palimpsest/knowledge/errors';
import type { KnowledgeRetrieved } from '@palimpsest/knowledge/events';
import { tenantId, type TenantId } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { DailyRetrievalCounter } from './daily-retrieval-counter.ts';

const [acme, other] = [tenantId('acme'), tenantId('other')];
const fails = (error: unknown): never => {
  throw error;
};

let log: InMemoryEventLog;
let now: string;
let opened: DailyRetrievalCounter[];
const open = (): DailyRetrievalCounter => {
  const retrievals = new DailyRetrievalCounter(aJournal(log), () => now, fails);
  opened.push(retrievals);
  return retrievals;
};
beforeEach(() => {
  [log, now, opened] = [new InMemoryEventLog(), '2026-01-31T23:59:00.000Z', []];
});
afterEach(async () => {
  for (const retrievals of opened) await retrievals.stop();
});

const retrieval = (traceId: string, retrievedAt: string): KnowledgeRetrieved => ({
  type: 'KnowledgeRetrieved',
  data: {
    traceId,
    queryHash: 'h',
    queryLength: 1,
    strategy: 'SparseOnly',
    fusion: 'rrf',
    topK: 1,
    filtered: false,
    requestedScopes: [],
    permittedScopes: [],
    generations: [],
    pool: 0,
    stages: [],
    latencyMs: 1,
    hits: [],
    position: '0',
    retrievedAt,
  },
});
const record = (tenant: TenantId, ...retrievals: readonly [id: string, at: string][]) =>
  aJournal(log).appendToEnd(
    retrievalStream(tenant),
    retrievals.map(([id, at]) => retrieval(id, at)),
    { tenant, actor: 'test', correlationId: 'r' },
  );
const eventually = async (count: () => Promise<number>, expected: number): Promise<void> => {
  // Ended by the timeout of the suite.
  while ((await count()) !== expected) await pause(5);
};

describe('the retrievals of a day', () => {
  it('are those with records on the log, for this tenant and day', async () => {
    await record(acme, ['a', '2026-01-30T12:00:00.000Z'], ['b', '2026-01-31T00:00:00.000Z'], ['c', '2026-01-31T12:00:00.000Z']);
    await record(other, ['d', '2026-01-31T12:00:00.000Z']);
    const retrievals = open();
    expect([await retrievals.count(acme), await retrievals.count(other), await retrievals.count(tenantId('none'))]).toEqual([2, 1, 0]);
  });

  it('are counted as records arrive, from any process, once each', async () => {
    const [one, two] = [open(), open()];
    expect(await one.count(acme)).toBe(0);
    one.retrieved(acme, 'a');
    expect(await one.count(acme)).toBe(1);
    await record(acme, ['a', '2026-01-31T12:00:00.000Z'], ['b', '2026-01-31T12:00:00.000Z']);
    for (const retrievals of [one, two]) await eventually(() => retrievals.count(acme), 2);
    expect(await open().count(acme)).toBe(2);
  });

  it('count a miss once, with one event or two', async () => {
    const at = '2026-01-31T12:00:00.000Z';
    const missOf = (id: string) => ({ type: 'KnowledgeRetrievalMiss', data: { ...retrieval(id, at).data, floor: 0.3 } }) as const;
    const append = (...events: Parameters<Journal['appendToEnd']>[1]) =>
      aJournal(log).appendToEnd(retrievalStream(acme), events, { tenant: acme, actor: 'test', correlationId: 'r' });
    const following = open();
    expect(await following.count(acme)).toBe(0);
    await append(missOf('old'), retrieval('a', at), retrieval('b', at), missOf('b'));
    await append(retrieval('c', at), missOf('c'), retrieval('d', at));
    await eventually(() => following.count(acme), 5);
    expect(await open().count(acme)).toBe(5);
    await append(retrieval('e', at));
    await eventually(() => following.count(acme), 6);
  });

  it.each(['head', 'follow', 'readStream'] as const)(
    'are counted once the log is back, if it was away when they were first asked for: %s',
    async (method) => {
      await record(acme, ['1', now]);
      let away = true;
      const original = log[method].bind(log) as (...args: unknown[]) => never;
      log[method] = ((...args: unknown[]) => {
        if (!away) return original(...args);
        const failed = Promise.reject(new ServerAway('no answer from the log'));
        return method === 'head'
          ? failed
          : (async function* () {
              yield await failed;
            })();
      }) as never;
      const retrievals = open();
      await expect(retrievals.count(acme)).rejects.toThrow(ServerAway);
      away = false;
      expect(await retrievals.count(acme)).toBe(1);
      await record(acme, ['2', now]);
      await eventually(() => retrievals.count(acme), 2);
    },
  );

  it('do not keep the process from stopping if the log was away', async () => {
    log.head = () => Promise.reject(new ServerAway('no answer from the log'));
    const retrievals = open();
    await expect(retrievals.count(acme)).rejects.toThrow(ServerAway);
    await retrievals.stop();
  });

  it('start at zero at midnight UTC', async () => {
    const retrievals = open();
    await record(acme, ['a', '2026-01-31T23:59:00.000Z']);
    expect([await retrievals.count(acme), retrievals.untilTomorrow()]).toEqual([1, 60]);
    now = '2026-02-01T00:00:00.000Z';
    expect([await retrievals.count(acme), retrievals.untilTomorrow()]).toEqual([0, 86_400]);
    await record(acme, ['b', '2026-02-01T00:00:01.000Z']);
    await eventually(() => retrievals.count(acme), 1);
  });
});
