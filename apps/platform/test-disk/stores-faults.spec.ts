import { countsOf, tell } from '../test-crash/orders.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { some } from './faults.ts';
import { Stores } from './stores.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_STORES_FAULTS', 60);
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const WORK = 4;

/** Some of the calls of these names, or each. */
const failing = (counts: readonly (readonly [string, number])[], random: SeededRandom): readonly DiskOrder[] =>
  some(counts.flatMap(([name, count]) => Array.from({ length: count }, (_, i): DiskOrder => ({ action: 'EIO', name, first: i + 1, last: i + 1 }))), EVERY ? Number.MAX_SAFE_INTEGER : Math.ceil(FAULTS / 2), random);

/** What comes between a fault and the power cut: nothing, a start that changes nothing, a start that goes on. */
const BETWEEN = ['nothing', 0, 2] as const;

describe(`the log and the queues on a disk that fails once (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);

  it('have all that they acknowledged after a power cut, whatever call failed, and whatever came in between', async () => {
    const first = new Stores();
    await first.live(WORK, 'stop');
    first.disk.forget();
    await first.live(WORK, 'stop');
    const counts = countsOf(first.disk.records());
    const orders = [...failing([['*', [...counts.values()].reduce((sum, count) => sum + count, 0)]], random), ...failing([...counts].filter(([name]) => name.endsWith(' sync')), random)];
    const wrong: unknown[] = [];
    let fired = 0;
    for (const order of orders) {
      const stores = new Stores();
      await stores.live(1, 'stop');
      stores.disk.forget();
      const end = random.oneOf(['kill', 'stop'] as const);
      const life = await stores.live(WORK, end, order);
      fired += life.fired.count;
      const between = random.oneOf(BETWEEN);
      const story = [`${tell(order)} (${life.fired.name}), then ${end}`, ...life.refused];
      if (between !== 'nothing') story.push(`then ${between} more`, ...(await stores.live(between, random.oneOf(['kill', 'stop'] as const))).refused);
      stores.disk.powerCut();
      const found = await stores.wrong();
      if (found.length > 0) wrong.push({ story, found });
    }
    expect(wrong).toEqual([]);
    expect(fired).toBeGreaterThan(orders.length / 2);
  });
});
