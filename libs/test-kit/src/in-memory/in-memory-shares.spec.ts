import { describeShares } from '../shares-kit.ts';
import type { SharesUnderTest } from '../shares-under-test.ts';
import { InMemoryShares } from './in-memory-shares.ts';

describeShares('InMemoryShares', async (): Promise<SharesUnderTest> => {
  const all = [new InMemoryShares()];
  return {
    open: async () => {
      const shares = new InMemoryShares(all[0]);
      all.push(shares);
      return shares;
    },
    crash: async (shares) => all.find((one) => one === shares)?.kill(),
    patienceMs: 5_000,
    dispose: async () => all.forEach((one) => one.kill()),
  };
});
