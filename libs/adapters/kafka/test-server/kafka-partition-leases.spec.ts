import { describePartitionLeases, type PartitionLeasesUnderTest } from '@palimpsest/test-kit';
import { openKillableKafkaShares, type KafkaPartitionLeases } from '../src/kafka-partition-leases.ts';
import { freshPrefix, openCluster, type Cluster } from '../test/cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await openCluster(process.env['KAFKA_BROKERS']);
});
afterAll(() => cluster.stop());

describePartitionLeases('KafkaShares', async (): Promise<PartitionLeasesUnderTest> => {
  const prefix = freshPrefix();
  const all: KafkaPartitionLeases[] = [];
  return {
    open: async () => {
      const shares = await openKillableKafkaShares({ brokers: cluster.brokers, prefix, sessionTimeoutMs: cluster.sessionTimeoutMs });
      all.push(shares);
      return shares;
    },
    crash: async (shares) => all.find((one) => one === shares)?.kill(),
    patienceMs: 20_000,
    dispose: async () => void (await Promise.all(all.map((one) => one.kill()))),
  };
});
