import { EngineLane, NO_END } from '../test-crash/engine/engine-lane.ts';
import { countsOf, tell } from '../test-crash/orders.ts';
import { sound } from '../test-crash/stories.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';

/** "true": every single call of a life, each way; otherwise so many. */
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';
const FAULTS = wholeFrom('PALIMPSEST_DISK_FAULTS', 75);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const FAULTS_BETWEEN_LOOKS = 8;
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const WAYS = [
  { way: 'fails once with EIO', action: 'EIO', lasting: false },
  { way: 'fails once with ENOSPC', action: 'ENOSPC', lasting: false },
  { way: 'is done half', action: 'short', lasting: false },
  { way: 'and all after it fail with ENOSPC', action: 'ENOSPC', lasting: true },
  { way: 'and all after it fail with EIO', action: 'EIO', lasting: true },
] as const;

describe(`an engine on a disk that fails (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let counts: ReadonlyMap<string, number>;
  let calls: number;

  beforeAll(async () => {
    const lane = new EngineLane();
    expect((await lane.live()).problems).toEqual([]);
    lane.disk.forget();
    expect((await lane.live()).problems).toEqual([]);
    counts = countsOf(lane.disk.records());
    calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
  });

  it('trusts no file whose sync failed: what it acknowledges afterwards survives a power cut', async () => {
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.live()).problems).toEqual([]);
    let met = 0;
    for (const name of [...counts.keys()].filter((one) => one.endsWith(' sync'))) {
      const { fired, problems } = await lane.live({ action: 'EIO', name, first: 1, last: 1 }, { end: 'kill' });
      met += fired.count;
      lane.powerCut();
      expect({ name, problems: problems.filter((problem) => problem === NO_END), wrong: await lane.wrong() }).toEqual({ name, problems: [], wrong: [] });
    }
    expect(met).toBeGreaterThan(5);
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

  it.each(WAYS)('refuses or goes on when the n-th call $way, and has lost nothing afterwards', async ({ action, lasting }) => {
    const lane = new EngineLane({ powerCuts: true });
    expect((await lane.live()).problems).toEqual([]);
    const met: string[] = [];
    for (const [i, { name, n }] of (action === 'short' ? chosen(' write') : chosen('')).entries()) {
      const order: DiskOrder = { action, name, first: n, last: lasting ? FOR_EVER : n };
      const { fired, problems } = await lane.live(order, { end: random.next() < 0.5 ? 'kill' : 'stop', ...(lasting ? { patienceMs: 10_000 } : {}) });
      // While a disk goes on failing, work that comes to no end is what there is to be expected.
      if (!lasting) expect({ order: tell(order), at: fired.name, problems: problems.filter((problem) => problem === NO_END) }).toEqual({ order: tell(order), at: fired.name, problems: [] });
      met.push(`${tell(order)} → ${fired.count} (${fired.name}): ${problems.join(' | ') || 'went on'}`);
      if (random.next() < 0.5) lane.powerCut();
      if (i % FAULTS_BETWEEN_LOOKS === FAULTS_BETWEEN_LOOKS - 1) await sound(lane);
    }
    await sound(lane);
    if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${met.join('\n')}\n`);
  });
});
