import { streamName, type AppendResult, type EventLog, type NewEvent } from '@palimpsest/knowledge/ports';
import { startServer } from '../test/a-server.ts';
import { anEvent, closeLogs, collect, eventually, Following, openLog } from '../test/fixture.ts';

const WRITERS = 64;
const APPENDS = 12;
const KILLS = 3;

type Acknowledged = Readonly<{ event: NewEvent; result: AppendResult }>;

/** Appends events sequentially, each at the revision of the last, whatever happens to the server. */
const write = async (log: EventLog, writer: number, acknowledged: Acknowledged[]): Promise<void> => {
  const stream = streamName('document', 'acme', String(writer));
  for (let at = 0; at < APPENDS; at += 1) {
    const event = anEvent({ data: { writer, at } });
    const result = await log.append(stream, [event], at === 0 ? 'no-stream' : at - 1);
    acknowledged.push({ event, result });
  }
};

describe('EventStoreLog, when the server is killed', () => {
  afterEach(closeLogs);

  it('loses nothing that was acknowledged, duplicates nothing, and delivers every event to a follower once', async () => {
    const server = await startServer();
    const log = await openLog({ connectionString: server.url, totalMs: 60_000 });
    const following = new Following(log, { maxBatch: 50 });
    const acknowledged: Acknowledged[] = [];
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(log, writer, acknowledged)));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await eventually(() => acknowledged.length >= (kill * WRITERS * APPENDS) / (KILLS + 1));
      await server.process.restart(); // SIGKILL, then a start on the same folder and port
    }
    await writing;
    const total = WRITERS * APPENDS;
    const all = await collect(log.readAll());
    expect(acknowledged.filter(({ result }) => result.outcome !== 'appended')).toEqual([]);
    expect(all.map(({ id }) => id).sort()).toEqual(acknowledged.map(({ event }) => event.id).sort());
    for (const { event, result } of acknowledged)
      expect(all.find(({ id }) => id === event.id)).toMatchObject({ position: (result as { position: bigint }).position });
    await eventually(() => following.seen.length >= total);
    await following.stop();
    expect(following.seen).toEqual(all);
    await log.close();
    await server.dispose();
  });
});
