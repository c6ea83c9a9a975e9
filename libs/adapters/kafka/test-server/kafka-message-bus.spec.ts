import { setTimeout as sleep } from 'node:timers/promises';
import { describeMessageBus, type MessageBusUnderTest } from '@palimpsest/test-kit';
import { openKillableKafkaBus } from '../src/open-kafka-message-bus.ts';
import { freshPrefix, openCluster, type Cluster } from '../test/cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await openCluster(process.env['KAFKA_BROKERS']);
});
afterAll(() => cluster.stop());

const openBus = async (): Promise<MessageBusUnderTest> => {
  const options = { brokers: cluster.brokers, prefix: freshPrefix(), partitions: 3, sessionTimeoutMs: cluster.sessionTimeoutMs };
  let bus = await openKillableKafkaBus(options);
  return {
    bus,
    passTime: sleep,
    reopen: async () => {
      await bus.close();
      return (bus = await openKillableKafkaBus(options));
    },
    crash: async () => {
      await bus.kill();
      return (bus = await openKillableKafkaBus(options));
    },
    dispose: () => bus.kill(),
  };
};

describeMessageBus('KafkaMessageBus', openBus);
