import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { openKafkaMessageBus } from '../src/open-kafka-message-bus.ts';
import { startCluster } from '../test/cluster.ts';
import { Control } from '../test/control.ts';

const KILLS = Number(process.env['KAFKA_LEADER_KILLS'] ?? 10);
const PUBLISHERS = 8;
const BATCH = 12;

/**
 * Proves that messages which `publish` acknowledged are not lost when leaders die; kafkajs alone does not guarantee that. The test
 * always starts its own nodes, even if KAFKA_BROKERS names others: those must not be killed.
 */
describe('KafkaMessageBus on three nodes whose leaders are killed', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>> | undefined;
  let bus: MessageBus | undefined;
  // Also after a failed run: open connections would keep jest from exiting.
  afterAll(async () => {
    await bus?.close();
    await cluster?.stop();
  });

  it(`loses no acknowledged message in ${KILLS} kills, and delivers all of them`, async () => {
    cluster = await startCluster(3);
    const control = new Control(cluster.server.line('control'));
    bus = await openKafkaMessageBus({ brokers: cluster.brokers, prefix: 'kills.', partitions: 6, publishTimeoutMs: 60_000 });
    const opened = bus;
    await opened.subscribe('topic', 'group');
    const acknowledged = new Set<string>();
    let over = false;
    const publisher = async (number: number): Promise<void> => {
      for (let round = 0; !over; round += 1) {
        const ids = Array.from({ length: BATCH }, (_, i) => `${number}.${round}.${i}`);
        await opened.publish(
          'topic',
          ids.map((id, i) => ({ id, key: `${number} ${i}`, headers: {}, body: JSON.stringify({ id }) })),
        );
        for (const id of ids) acknowledged.add(id);
        await sleep(30);
      }
    };
    const publishers = Promise.all(Array.from({ length: PUBLISHERS }, (_, number) => publisher(number)));
    const acknowledgedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Each kill must interrupt active publishers: something was acknowledged since the one before.
      const before = acknowledgedAt.at(-1) ?? 0;
      for (const end = Date.now() + 30_000; acknowledged.size <= before && Date.now() < end;) await sleep(20);
      await sleep(200);
      const leader = await control.leaderOf('kills.topic');
      await control.kill(leader);
      acknowledgedAt.push(acknowledged.size);
      await control.start(leader);
      await inSync(control);
    }
    over = true;
    await publishers;
    // the kills interrupted active publishers
    expect(new Set(acknowledgedAt).size).toBeGreaterThan(KILLS / 2);

    const delivered = new Set<string>();
    const consumer = await opened.consume({ topic: 'topic', group: 'group', concurrency: 4, batchSize: 64 }, async (batch) => {
      for (const { id } of batch) delivered.add(id);
    });
    for (const end = Date.now() + 60_000; (await opened.lag('topic', 'group')) > 0 && Date.now() < end;) await sleep(100);
    await consumer.stop();
    expect([...acknowledged].filter((id) => !delivered.has(id))).toEqual([]);
  }, 600_000);
});

/** Waits until every node is back. */
const inSync = async (control: Control): Promise<void> => {
  while ((await control.nodes()).some(({ registered }) => !registered)) await sleep(100);
};
