import { describePartitionLeases } from '../partition-leases-kit.ts';
import type { PartitionLeasesUnderTest } from '../partition-leases-under-test.ts';
import { InMemoryPartitionLeases } from './in-memory-partition-leases.ts';

describePartitionLeases('InMemoryPartitionLeases', async (): Promise<PartitionLeasesUnderTest> => {
  const all = [new InMemoryPartitionLeases()];
  return {
    open: async () => {
      const shares = new InMemoryPartitionLeases(all[0]);
      all.push(shares);
      return shares;
    },
    crash: async (shares) => all.find((one) => one === shares)?.kill(),
    patienceMs: 5_000,
    dispose: async () => all.forEach((one) => one.kill()),
  };
});
