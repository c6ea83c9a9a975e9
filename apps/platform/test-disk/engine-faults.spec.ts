import { EngineLane, NO_END } from '../test-crash/engine/engine-lane.ts';
import { countsOf, tell } from '../test-crash/orders.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import { expectSound, ordersOf, some, WAYS } from './faults.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_FAULTS', 75);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** How many names, at most, whose first sync fails before a power cut. */
const SYNCS = wholeFrom('PALIMPSEST_DISK_SYNCS', 1_000);
const FAULTS_BETWEEN_LOOKS = 8;

describe(`an engine on a disk that fails (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let counts: ReadonlyMap<string, number>;

  beforeAll(async () => {
    const lane = new EngineLane();
    expect((await lane.live()).problems).toEqual([]);
    lane.disk.forget();
    expect((await lane.live()).problems).toEqual([]);
    counts = countsOf(lane.disk.records());
  });

  it('trusts no file whose sync failed: what it acknowledges afterwards survives a power cut', async () => {
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.live()).problems).toEqual([]);
    let met = 0;
    const names = some([...counts.keys()].filter((one) => one.endsWith(' sync')), SYNCS, random);
    for (const name of names) {
      const { fired, problems } = await lane.live({ action: 'EIO', name, first: 1, last: 1 }, { end: 'kill' });
      met += fired.count;
      lane.powerCut();
      expect({ name, problems: problems.filter((problem) => problem === NO_END), wrong: await lane.wrong() }).toEqual({ name, problems: [], wrong: [] });
    }
    // Those of a stop in good order are not met: it is killed.
    expect(met).toBeGreaterThan(names.length > 10 ? 5 : 0);
  });

  it.each(WAYS)('refuses or goes on when the n-th call $way, and has lost nothing afterwards', async (way) => {
    const { lasting } = way;
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.live()).problems).toEqual([]);
    const met: string[] = [];
    for (const [i, order] of ordersOf(way, { counts, faults: FAULTS, random }).entries()) {
      const { fired, problems } = await lane.live(order, { end: random.next() < 0.5 ? 'kill' : 'stop', ...(lasting ? { patienceMs: 10_000 } : {}) });
      // While a disk goes on failing, work that comes to no end is what there is to be expected.
      if (!lasting) expect({ order: tell(order), at: fired.name, problems: problems.filter((problem) => problem === NO_END) }).toEqual({ order: tell(order), at: fired.name, problems: [] });
      met.push(`${tell(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'went on'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (i % FAULTS_BETWEEN_LOOKS === FAULTS_BETWEEN_LOOKS - 1) expectSound(await lane.wrong(), met);
    }
    expectSound(await lane.wrong(), met);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
