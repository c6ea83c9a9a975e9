import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { openKafkaMessageBus } from '../src/open-kafka-message-bus.ts';
import { startCluster } from '../test/cluster.ts';
import { Control } from '../test/control.ts';

/** The test always starts its own node, even if KAFKA_BROKERS names others: those must not be killed. */
describe('KafkaMessageBus when the broker is down', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let control: Control;
  const open = (publishTimeoutMs: number): Promise<MessageBus> =>
    openKafkaMessageBus({ brokers: cluster.brokers, prefix: 'away.', partitions: 3, sessionTimeoutMs: 1_500, publishTimeoutMs });
  const note = (id: string) => ({ id, key: `key ${id.length}`, headers: {}, body: '{}' });
  beforeAll(async () => {
    cluster = await startCluster(1);
    control = new Control(cluster.server.line('control'));
  });
  afterAll(() => cluster.stop());

  it('recovers automatically under load after a restart of the killed broker; loses nothing, handles each key in order', async () => {
    const bus = await open(60_000);
    const handled: string[] = [];
    const consumer = await bus.consume({ topic: 'load', group: 'group', concurrency: 4 }, async ([one]) => {
      await sleep(2);
      if (one !== undefined) handled.push(`${one.key} ${one.id}`);
    });
    const acknowledged: string[] = [];
    let over = false;
    const publishing = (async () => {
      for (let n = 0; !over; n += 1) {
        await bus.publish('load', [{ id: String(n).padStart(6, '0'), key: `${n % 7}`, headers: {}, body: '{}' }]);
        acknowledged.push(`${n % 7} ${String(n).padStart(6, '0')}`);
      }
    })();
    // Counts instead of times: a busy machine publishes slowly.
    const more = async (count: number): Promise<void> => {
      for (const enough = acknowledged.length + count; acknowledged.length < enough;) await sleep(10);
    };
    for (let restart = 0; restart < 2; restart += 1) {
      await more(20);
      await control.kill(1);
      await control.start(1);
    }
    await more(20);
    over = true;
    await publishing;
    while ((await bus.lag('load', 'group')) > 0) await sleep(100);
    await consumer.stop();
    await bus.close();
    expect(acknowledged.filter((one) => !handled.includes(one))).toEqual([]);
    for (let key = 0; key < 7; key += 1) {
      const order = handled.filter((one) => one.startsWith(`${key} `)).filter((one, i, all) => one !== all[i - 1]);
      expect(order).toEqual([...order].sort());
    }
  });

  it('fails with Unavailable while the broker is down, and accepts the same ids afterwards', async () => {
    const bus = await open(500);
    await bus.subscribe('topic', 'group');
    await control.kill(1);
    await expect(bus.publish('topic', [note('1'), note('22')])).rejects.toThrow(Unavailable);
    await expect(bus.lag('topic', 'group')).rejects.toThrow(Unavailable);
    await expect(open(500)).rejects.toThrow(Unavailable);
    await control.start(1);
    for (;;)
      try {
        await bus.publish('topic', [note('1'), note('22'), note('1')]);
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(Unavailable);
      }
    expect(await bus.lag('topic', 'group')).toBe(2);
    await bus.close();
  });
});
