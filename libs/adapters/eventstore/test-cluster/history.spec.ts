import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { streamName, type AppendResult, type EventLog, type NewEvent } from '@palimpsest/knowledge/ports';
import { eventStoreCluster, type EventStoreCluster } from '@palimpsest/test-kit';
import type { EventStoreLog } from '../src/index.ts';
import { aNamespace } from '../test/a-server.ts';
import { anEvent, closeLogs, collect, eventually, Following, idsOf, openLog } from '../test/fixture.ts';

const WRITERS = 16;
/** How often the leader is removed; `npm run test:eventstore-long` uses more changes. */
const LONG = process.env['EVENTSTORE_LEADER_CHANGES'] !== undefined;
const CHANGES = Number(process.env['EVENTSTORE_LEADER_CHANGES'] ?? 4);
/** A frozen leader comes back while another one leads. */
const FROZEN_MS = 4_000;
const CALM_MS = 1_500;

type Acknowledged = Readonly<{ event: NewEvent; result: AppendResult }>;

/** Appends events sequentially, each at the revision of the last, like a caller that is asked to retry. */
const write = async (log: EventLog, writer: number, acknowledged: Acknowledged[], isOver: () => boolean): Promise<void> => {
  const stream = streamName('document', 'acme', String(writer));
  for (let at = 0; !isOver(); at += 1) {
    const event = anEvent({ data: { writer, at } });
    acknowledged.push({ event, result: await appendUntilKnown(() => log.append(stream, [event], at === 0 ? 'no-stream' : at - 1)) });
  }
};

const appendUntilKnown = async (append: () => Promise<AppendResult>): Promise<AppendResult> => {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }
};

describe('EventStoreLog on a cluster', () => {
  let cluster: EventStoreCluster;
  let log: EventStoreLog;
  beforeAll(async () => {
    cluster = await eventStoreCluster();
    log = await openLog({ connectionString: cluster.url, namespace: aNamespace() });
  });
  afterAll(async () => {
    await closeLogs();
    await cluster.dispose();
  });

  it(`stores and delivers what it acknowledged exactly once and in order, through ${CHANGES} changes of the leader`, async () => {
    const acknowledged: Acknowledged[] = [];
    const following = new Following(log, { maxBatch: 50 });
    let over = false;
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(log, writer, acknowledged, () => over)));
    const waits: { how: string; ms: number }[] = [];
    await eventually(() => acknowledged.length >= WRITERS);
    for (let change = 0; change < CHANGES; change += 1) {
      const how = Math.random() < 0.5 ? await cluster.freezeLeader(FROZEN_MS) : (await cluster.killLeader(), 'killed');
      const elected = performance.now();
      const before = acknowledged.length;
      await eventually(() => acknowledged.length > before + WRITERS, 60_000);
      waits.push({ how, ms: Math.round(performance.now() - elected) });
      await sleep(Math.random() * CALM_MS);
    }
    over = true;
    await writing;
    if (LONG)
      process.stdout.write(
        `${acknowledged.length} appends on ${cluster.isReal ? 'the cluster of EVENTSTORE_URL' : 'test servers'}; ${WRITERS + 1} appends after ${waits.map(({ how, ms }) => `${how} ${ms} ms`).join(', ')}\n`,
      );
    // The goal. It counts from the election, whose end only a test server announces. The short variant shares its machine with other suites.
    if (LONG && !cluster.isReal) expect(waits.filter(({ ms }) => ms >= 2_000)).toEqual([]);

    const all = await collect(log.readAll());
    const refused = acknowledged.filter(({ result }) => result.outcome !== 'appended');
    expect(refused).toEqual([]);
    expect([...idsOf(all)].sort()).toEqual(acknowledged.map(({ event }) => event.id).sort());
    const byId = new Map(all.map((event) => [event.id, event]));
    for (const { event, result } of acknowledged)
      if (result.outcome === 'appended') expect(byId.get(event.id)).toMatchObject({ position: result.position, revision: result.revision });
    await eventually(() => following.seen.length >= all.length, 60_000);
    await following.stop();
    expect(idsOf(following.seen)).toEqual(idsOf(all));
  });
});
