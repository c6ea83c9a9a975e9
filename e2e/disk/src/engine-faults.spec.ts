import { EngineLane, NO_END } from '@palimpsest/e2e-support/crash/engine/engine-lane';
import { countsOf, describeOrder } from '@palimpsest/e2e-support/crash/orders';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { expectNoProblems, ordersOf, some, WAYS } from './faults.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_FAULTS', 75);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** The maximum number of names whose first sync fails before a power cut. */
const SYNCS = wholeFrom('PALIMPSEST_DISK_SYNCS', 1_000);
const FAULTS_BETWEEN_CHECKS = 8;

describe(`an engine on a failing disk (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let counts: ReadonlyMap<string, number>;

  beforeAll(async () => {
    const lane = new EngineLane();
    expect((await lane.run()).problems).toEqual([]);
    lane.disk.forget();
    expect((await lane.run()).problems).toEqual([]);
    counts = countsOf(lane.disk.records());
  });

  it('does not trust a file after a failed sync: what it acknowledges later survives a power cut', async () => {
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.run()).problems).toEqual([]);
    let met = 0;
    const names = some(
      [...counts.keys()].filter((one) => one.endsWith(' sync')),
      SYNCS,
      random,
    );
    for (const name of names) {
      const { fired, problems } = await lane.run({ action: 'EIO', name, first: 1, last: 1 }, { end: 'kill' });
      met += fired.count;
      lane.powerCut();
      expect({ name, problems: problems.filter((problem) => problem === NO_END), found: await lane.findProblems() }).toEqual({
        name,
        problems: [],
        found: [],
      });
    }
    // Syncs of a clean stop do not occur, because the engine is killed.
    expect(met).toBeGreaterThan(names.length > 10 ? 5 : 0);
  });

  it.each(WAYS)('refuses or continues when the n-th call $way, and loses nothing', async (way) => {
    const { lasting } = way;
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.run()).problems).toEqual([]);
    const met: string[] = [];
    for (const [i, order] of ordersOf(way, { counts, faults: FAULTS, random }).entries()) {
      const { fired, problems } = await lane.run(order, {
        end: random.next() < 0.5 ? 'kill' : 'stop',
        ...(lasting ? { patienceMs: 10_000 } : {}),
      });
      // On a disk that keeps failing, work that does not finish is expected.
      if (!lasting)
        expect({ order: describeOrder(order), at: fired.name, problems: problems.filter((problem) => problem === NO_END) }).toEqual({
          order: describeOrder(order),
          at: fired.name,
          problems: [],
        });
      met.push(`${describeOrder(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'continued'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (i % FAULTS_BETWEEN_CHECKS === FAULTS_BETWEEN_CHECKS - 1) expectNoProblems(await lane.findProblems(), met);
    }
    expectNoProblems(await lane.findProblems(), met);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
