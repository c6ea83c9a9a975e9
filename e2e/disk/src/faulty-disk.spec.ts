import { Lane } from '@palimpsest/e2e-support/crash/lane';
import { countsOf, describeOrder } from '@palimpsest/e2e-support/crash/orders';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { smallRound, UNSPEAKABLE } from '@palimpsest/e2e-support/crash/work';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { expectNoProblems, ordersOf, WAYS } from './faults.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_PLATFORM_FAULTS', 10);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const FAULTS_BETWEEN_CHECKS = 10;

/** A fault is reported clearly: by an error with a specific code, or by a process that ends with one line. */
const CLEAR =
  /: (?:500 Internal|500 Corrupt|503 Unavailable|503 NotCaughtUp): |the platform ended while starting: (?:.*\n)*palimpsest: [^\n]+\n$/;
/** On a disk that keeps failing, work that does not finish is expected. */
const TIMED_OUT = /timed out after \d+ ms waiting/;

describe(`a platform on a failing disk, tested over HTTP (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let standIn: EmbeddingStandIn;
  let counts: ReadonlyMap<string, number>;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn, work: smallRound });
    await lane.run();
    lane.disk.forget();
    await lane.run();
    counts = countsOf(lane.disk.records());
    const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(`\n${calls} writes, syncs and changes of names in a start and a small round, of ${counts.size} names\n`);
  });

  it.each(WAYS)('returns a clear error or continues when the n-th call $way, and loses nothing', async (way) => {
    const { lasting } = way;
    const lane = new Lane({ standIn, powerCuts: true, work: smallRound, patienceMs: lasting ? 5_000 : 60_000 });
    await lane.run();
    const met: string[] = [];
    let faults = 0;
    for (const order of ordersOf(way, { counts, faults: FAULTS, random })) {
      const { fired, problems } = await lane.run(order, { end: random.next() < 0.5 ? 'kill' : 'stop' });
      const unclear = problems.filter((problem) => !CLEAR.test(problem) && !(lasting && TIMED_OUT.test(problem)));
      expect({ order: describeOrder(order), at: fired.name, unclear }).toEqual({
        order: describeOrder(order),
        at: fired.name,
        unclear: [],
      });
      met.push(`${describeOrder(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'continued'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (++faults % FAULTS_BETWEEN_CHECKS === 0) expectNoProblems(await lane.findProblems(), met);
    }
    expectNoProblems(await lane.findProblems(), met);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
