import { Lane } from '../test-crash/lane.ts';
import { countsOf, tell } from '../test-crash/orders.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { errand, UNSPEAKABLE } from '../test-crash/work.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';

/** "true": every single call of a start and an errand, each way; otherwise so many. */
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';
const FAULTS = wholeFrom('PALIMPSEST_DISK_PLATFORM_FAULTS', 10);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const FAULTS_BETWEEN_LOOKS = 10;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** A fault is told as one: by a problem with a code of the service's own, or by a process that ends with one line. */
const CLEAR = /: (?:500 Internal|503 Unavailable|503 NotCaughtUp): |the platform ended while starting: (?:.*\n)*palimpsest: [^\n]+\n$/;
/** While a disk goes on failing, work that comes to no end is what there is to be expected. */
const HELD_UP = /waited in vain/;

const WAYS = [
  { way: 'fails once with EIO', action: 'EIO', lasting: false },
  { way: 'fails once with ENOSPC', action: 'ENOSPC', lasting: false },
  { way: 'is done half', action: 'short', lasting: false },
  { way: 'and all after it fail with ENOSPC', action: 'ENOSPC', lasting: true },
  { way: 'and all after it fail with EIO', action: 'EIO', lasting: true },
] as const;

describe(`a platform on a disk that fails, seen over HTTP (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let standIn: EmbeddingStandIn;
  let calls: number;
  let counts: ReadonlyMap<string, number>;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
    const lane = new Lane({ standIn, work: errand });
    await lane.live();
    lane.disk.forget();
    await lane.live();
    counts = countsOf(lane.disk.records());
    calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(`\n${calls} writes, syncs and changes of names in a start and an errand, of ${counts.size} names\n`);
  });

  /** Every call; or half of the wanted ones at a stride, and half of them at some call of as many names: most calls are of few names. */
  const chosen = (ending: string): readonly Readonly<{ name: string; n: number }>[] => {
    const wanted = Math.ceil(FAULTS / WAYS.length / 2);
    const stride = EVERY ? 1 : Math.ceil(calls / wanted);
    const from = 1 + Math.floor(random.next() * stride);
    const atStride = Array.from({ length: Math.ceil((calls - from + 1) / stride) }, (_, i) => ({ name: `*${ending}`, n: from + i * stride }));
    const named = random.shuffled([...counts].filter(([name]) => name.endsWith(ending))).slice(0, wanted);
    return [...atStride, ...(EVERY ? [] : named.map(([name, count]) => ({ name, n: 1 + Math.floor(random.next() * count) })))];
  };

  it.each(WAYS)('answers clearly or goes on when the n-th call $way, and has lost nothing afterwards', async ({ action, lasting }) => {
    const lane = new Lane({ standIn, powerCuts: true, work: errand, patienceMs: lasting ? 5_000 : 60_000 });
    await lane.live();
    const met: string[] = [];
    let faults = 0;
    for (const { name, n } of action === 'short' ? chosen(' write') : chosen('')) {
      const order: DiskOrder = { action, name, first: n, last: lasting ? FOR_EVER : n };
      const { fired, problems } = await lane.live(order, { end: random.next() < 0.5 ? 'kill' : 'stop' });
      const unclear = problems.filter((problem) => !CLEAR.test(problem) && !(lasting && HELD_UP.test(problem)));
      expect({ order: tell(order), at: fired.name, unclear }).toEqual({ order: tell(order), at: fired.name, unclear: [] });
      met.push(`${tell(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'went on'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (++faults % FAULTS_BETWEEN_LOOKS === 0) expect(await lane.wrong()).toEqual([]);
    }
    expect(await lane.wrong()).toEqual([]);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
