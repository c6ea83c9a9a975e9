import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, MessageBus } from '@palimpsest/knowledge/ports';
import { openKafkaMessageBus } from '../src/open-kafka-message-bus.ts';
import { Children, type Handled } from '../test/children.ts';
import { freshPrefix, openCluster, type Cluster } from '../test/cluster.ts';

const KEYS = 24;

describe('KafkaMessageBus in several processes', () => {
  let cluster: Cluster;
  let bus: MessageBus;
  let children: Children;
  let published: Message[];
  beforeAll(async () => {
    cluster = await openCluster(process.env['KAFKA_BROKERS']);
  });
  afterAll(() => cluster.stop());
  beforeEach(async () => {
    const prefix = freshPrefix();
    bus = await openKafkaMessageBus({ brokers: cluster.brokers, prefix, partitions: 6 });
    await bus.subscribe('topic', 'group');
    children = new Children(cluster, prefix);
    published = [];
  });
  afterEach(async () => {
    await children.dispose();
    await bus.close();
  });

  const publish = async (count: number): Promise<void> => {
    const more = Array.from({ length: count }, (_, i) => published.length + i).map((n) => ({
      id: `${n}`,
      key: `key${n % KEYS}`,
      headers: {},
      body: '{}',
    }));
    published.push(...more);
    await bus.publish('topic', more);
  };
  const settled = async (): Promise<void> => {
    for (const end = Date.now() + 60_000; (await bus.lag('topic', 'group')) > 0; await sleep(100))
      if (Date.now() > end) throw new Error('messages are left');
  };
  const lost = (handled: readonly Handled[]): readonly string[] => {
    const ids = new Set(handled.map(({ id }) => id));
    return published.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
  };
  /** Only the latest message of a key may be repeated: the one before was settled before that one was handled. */
  const outOfOrder = (handled: readonly Handled[]): readonly string[] =>
    Array.from({ length: KEYS }, (_, i) => `key${i}`).filter((key) => {
      const order = handled
        .filter((one) => one.key === key)
        .map(({ id }) => Number(id))
        .filter((id, i, all) => id !== all[i - 1]);
      return order.some((id, i) => i > 0 && id <= (order[i - 1] ?? 0));
    });

  it('moves work to a process that joins, handles nothing twice, keeps the order of every key', async () => {
    await publish(1_200);
    children.start('first');
    await children.until('the first works', (handled) => handled.length > 50);
    const second = children.start('second');
    await children.until('the second works', (handled) => handled.some(({ by }) => by === 'second'));
    await publish(400);
    await children.stop(second, 'SIGTERM');
    await settled();
    const handled = children.handled();
    expect(lost(handled)).toEqual([]);
    expect(handled).toHaveLength(published.length);
    expect(outOfOrder(handled)).toEqual([]);
  });

  it('moves the work of a killed process, loses nothing, keeps the order of every key, and counts the lost attempt', async () => {
    const first = children.start('first');
    children.start('second');
    await publish(400);
    await children.until('both work', (handled) => new Set(handled.map(({ by }) => by)).size === 2);
    await publish(600);
    await sleep(100);
    await children.stop(first, 'SIGKILL');
    await publish(200);
    await settled();
    const handled = children.handled();
    expect(lost(handled)).toEqual([]);
    expect(outOfOrder(handled)).toEqual([]);
    expect(handled.some(({ attempt }) => attempt === 2)).toBe(true);
    expect(handled.every(({ attempt }) => attempt <= 2)).toBe(true);
  });

  it('moves the work of a frozen process, and lets it join again when it continues', async () => {
    const first = children.start('first');
    children.start('second');
    await publish(400);
    await children.until('both work', (handled) => new Set(handled.map(({ by }) => by)).size === 2);
    await publish(400);
    first.kill('SIGSTOP');
    await publish(200);
    await settled();
    expect(lost(children.handled())).toEqual([]);
    const before = children.handled().filter(({ by }) => by === 'first').length;
    first.kill('SIGCONT');
    await children.until('the first works again', (handled) => {
      void publish(1);
      return handled.filter(({ by }) => by === 'first').length > before + 10;
    });
    await sleep(500);
    await settled();
    expect(lost(children.handled())).toEqual([]);
  });
});
