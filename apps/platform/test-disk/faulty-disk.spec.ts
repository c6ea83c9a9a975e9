import { Lane } from '../test-crash/lane.ts';
import { countsOf, tell } from '../test-crash/orders.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { errand, UNSPEAKABLE } from '../test-crash/work.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { expectSound, ordersOf, WAYS } from './faults.ts';

const FAULTS = wholeFrom('PALIMPSEST_DISK_PLATFORM_FAULTS', 10);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const FAULTS_BETWEEN_LOOKS = 10;

/** A fault is told as one: by a problem with a code of the service's own, or by a process that ends with one line. */
const CLEAR = /: (?:500 Internal|500 Corrupt|503 Unavailable|503 NotCaughtUp): |the platform ended while starting: (?:.*\n)*palimpsest: [^\n]+\n$/;
/** While a disk goes on failing, work that comes to no end is what there is to be expected. */
const HELD_UP = /waited in vain/;

describe(`a platform on a disk that fails, seen over HTTP (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let standIn: EmbeddingStandIn;
  let counts: ReadonlyMap<string, number>;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn, work: errand });
    await lane.live();
    lane.disk.forget();
    await lane.live();
    counts = countsOf(lane.disk.records());
    const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(`\n${calls} writes, syncs and changes of names in a start and an errand, of ${counts.size} names\n`);
  });

  it.each(WAYS)('answers clearly or goes on when the n-th call $way, and has lost nothing afterwards', async (way) => {
    const { lasting } = way;
    const lane = new Lane({ standIn, powerCuts: true, work: errand, patienceMs: lasting ? 5_000 : 60_000 });
    await lane.live();
    const met: string[] = [];
    let faults = 0;
    for (const order of ordersOf(way, { counts, faults: FAULTS, random })) {
      const { fired, problems } = await lane.live(order, { end: random.next() < 0.5 ? 'kill' : 'stop' });
      const unclear = problems.filter((problem) => !CLEAR.test(problem) && !(lasting && HELD_UP.test(problem)));
      expect({ order: tell(order), at: fired.name, unclear }).toEqual({ order: tell(order), at: fired.name, unclear: [] });
      met.push(`${tell(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'went on'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (++faults % FAULTS_BETWEEN_LOOKS === 0) expectSound(await lane.wrong(), met);
    }
    expectSound(await lane.wrong(), met);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
