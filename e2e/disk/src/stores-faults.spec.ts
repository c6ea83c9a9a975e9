import { countsOf, describeOrder } from '@palimpsest/e2e-support/crash/orders';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { some } from './faults.ts';
import { Stores } from './stores.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_STORES_FAULTS', 60);
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const WORK = 4;

/** Orders that fail some calls of these names, or every call. */
const failing = (counts: readonly (readonly [string, number])[], random: SeededRandom): readonly DiskOrder[] =>
  some(
    counts.flatMap(([name, count]) =>
      Array.from({ length: count }, (_, i): DiskOrder => ({ action: 'EIO', name, first: i + 1, last: i + 1 })),
    ),
    EVERY ? Number.MAX_SAFE_INTEGER : Math.ceil(FAULTS / 2),
    random,
  );

/** What happens between a fault and the power cut: nothing, a start without work, a start with more work. */
const BETWEEN = ['nothing', 0, 2] as const;

describe(`the log and the queues on a disk with one fault (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);

  it('keep everything acknowledged after any fault and a later power cut', async () => {
    const first = new Stores();
    await first.run(WORK, 'stop');
    first.disk.forget();
    await first.run(WORK, 'stop');
    const counts = countsOf(first.disk.records());
    const orders = [
      ...failing([['*', [...counts.values()].reduce((sum, count) => sum + count, 0)]], random),
      ...failing(
        [...counts].filter(([name]) => name.endsWith(' sync')),
        random,
      ),
    ];
    const problems: unknown[] = [];
    let fired = 0;
    for (const order of orders) {
      const stores = new Stores();
      await stores.run(1, 'stop');
      stores.disk.forget();
      const end = random.oneOf(['kill', 'stop'] as const);
      const run = await stores.run(WORK, end, order);
      fired += run.fired.count;
      const between = random.oneOf(BETWEEN);
      const history = [`${describeOrder(order)} (${run.fired.name}), then ${end}`, ...run.refused];
      if (between !== 'nothing')
        history.push(`then ${between} more`, ...(await stores.run(between, random.oneOf(['kill', 'stop'] as const))).refused);
      stores.disk.powerCut();
      const found = await stores.findProblems();
      if (found.length > 0) problems.push({ history, found });
    }
    expect(problems).toEqual([]);
    expect(fired).toBeGreaterThan(orders.length / 2);
  });
});
