import { START } from '@palimpsest/knowledge/values';
import { startEventStoreCluster, type EventStoreCluster } from '@palimpsest/test-kit';
import { aNamespace } from '../test/a-server.ts';
import { aStream, closeLogs, collect, eventually, events, Following, idsOf, openLog } from '../test/fixture.ts';

/** Long enough that it does not come back within the test. */
const LONG_MS = 600_000;
/** Without a keepalive, only the adapter itself can detect a frozen server. */
const NO_KEEPALIVE = '&keepAliveInterval=-1';

describe('EventStoreLog, when the leader of a cluster freezes and stays frozen,', () => {
  let cluster: EventStoreCluster;
  beforeEach(async () => {
    cluster = await startEventStoreCluster();
  });
  afterEach(async () => {
    await closeLogs();
    await cluster.dispose();
  });
  const openHere = () => openLog({ connectionString: `${cluster.url}${NO_KEEPALIVE}`, namespace: aNamespace(), totalMs: 60_000 });

  it('abandons its connection and appends, reads and follows at the new leader', async () => {
    const log = await openHere();
    const following = new Following(log);
    const [first, second, third] = [events(1), events(1), events(1)];
    await log.append(aStream(), first, 'no-stream');
    await eventually(() => following.seen.length === 1);
    // In progress while the leader freezes: the new leader knows its outcome.
    const [, under] = await Promise.all([cluster.freezeLeader(LONG_MS), log.append(aStream(), second, 0)]);
    expect(under).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(await log.append(aStream(), third, 1)).toMatchObject({ outcome: 'appended', revision: 2 });
    await eventually(() => following.seen.length >= 3);
    await following.stop();
    const all = idsOf([...first, ...second, ...third]);
    expect(idsOf(following.seen)).toEqual(all);
    expect(idsOf(await collect(log.readAll()))).toEqual(all);
  });

  it('abandons its connection when only reads wait for it', async () => {
    const log = await openHere();
    await log.append(aStream(), events(2), 'no-stream');
    const [, read] = await Promise.all([cluster.freezeLeader(LONG_MS), collect(log.readStream(aStream()))]);
    expect(read).toHaveLength(2);
    expect(await log.head()).toBeGreaterThan(START);
  });
});
