import { START } from '@palimpsest/knowledge';
import { startEventStoreCluster, type EventStoreCluster } from '@palimpsest/test-kit';
import { aNamespace } from '../test/a-server.ts';
import { aStream, closeLogs, collect, eventually, events, Following, idsOf, openLog } from '../test/fixture.ts';

/** So long that it does not come back within the test. */
const FOR_GOOD = 600_000;
/** Nothing but what the adapter does by itself notices a frozen server. */
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

  it('leaves its connection and appends, reads and follows at the new leader', async () => {
    const log = await openHere();
    const following = new Following(log);
    const [first, second, third] = [events(1), events(1), events(1)];
    await log.append(aStream(), first, 'no-stream');
    await eventually(() => following.seen.length === 1);
    // Under way while it freezes: what became of it is found out at the new leader.
    const [, under] = await Promise.all([cluster.freezeLeader(FOR_GOOD), log.append(aStream(), second, 0)]);
    expect(under).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(await log.append(aStream(), third, 1)).toMatchObject({ outcome: 'appended', revision: 2 });
    await eventually(() => following.seen.length >= 3);
    await following.stop();
    const all = idsOf([...first, ...second, ...third]);
    expect(idsOf(following.seen)).toEqual(all);
    expect(idsOf(await collect(log.readAll()))).toEqual(all);
  });

  it('leaves its connection when only reads wait for it', async () => {
    const log = await openHere();
    await log.append(aStream(), events(2), 'no-stream');
    const [, read] = await Promise.all([cluster.freezeLeader(FOR_GOOD), collect(log.readStream(aStream()))]);
    expect(read).toHaveLength(2);
    expect(await log.head()).toBeGreaterThan(START);
  });
});
