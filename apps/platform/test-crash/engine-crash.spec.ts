import { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { EngineLane } from './engine/engine-lane.ts';
import { engineCompaction, engineRound } from './engine/engine-work.ts';
import { countsOf, evenly, killAnywhere, killsAt, tell } from './orders.ts';
import { FATES, liveOnce, liveThrough, sound, type Fate } from './stories.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from './whole-from.ts';

/** Kills of the long story; those of first starts, half as many, and of compactions come on top. Each name of a write is met at least once. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_KILLS', 60);
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** Kills on one folder before it is looked at. */
const KILLS_BETWEEN_LOOKS = 40;
/** So many of the kills come at named writes; the others anywhere. */
const NAMED = 3 / 4;
/** Writes that only a compaction makes. */
const COMPACTION = ['vectors draft create', 'vectors draft write', 'vectors draft sync', 'vectors rename', 'lexical draft write', 'lexical base rename', 'lexical journal rename'];

describe(`an engine that is killed, and whose power is cut (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const tally = new Tally();
  let firstStart: readonly string[];
  let later: ReadonlyMap<string, number>;
  let callsOfALife: number;

  beforeAll(async () => {
    const lane = new EngineLane();
    const first = await lane.live();
    expect(first.problems).toEqual([]);
    const all = countsOf(lane.disk.records());
    lane.disk.forget();
    expect((await lane.live()).problems).toEqual([]);
    later = countsOf(lane.disk.records());
    callsOfALife = [...later.values()].reduce((sum, count) => sum + count, 0);
    firstStart = [...all.keys()].filter((name) => !later.has(name));
    process.stdout.write(`\n${firstStart.length} names of writes in a first start, ${later.size} later, ${callsOfALife} calls in a life\n`);
  });

  afterAll(() => void process.stdout.write(tally.summary('engine', new Set([...firstStart, ...later.keys()]))));

  /** Both fates side by side, each on a folder of its own, and with its share of the orders. */
  const each = (most: () => number, orders: () => readonly DiskOrder[], story: (fate: Fate, mine: readonly DiskOrder[], own: SeededRandom) => Promise<void>) => async (): Promise<void> => {
    const meant = evenly(orders().flatMap((order) => FATES.map((fate) => ({ order, fate }))), most(), random);
    await Promise.all(FATES.map((fate) => story(fate, meant.filter((one) => one.fate === fate).map(({ order }) => order), random.fork())));
  };

  it(
    'comes into being after a kill, or a power cut, at each write of its first start',
    each(() => Math.max(KILLS >> 1, firstStart.length), () => firstStart.flatMap((name) => killsAt(new Map([[name, 1]]), random)), async (fate, orders, own) => {
      const anew = (): EngineLane => new EngineLane({ powerCuts: fate === 'power cut', work: (n) => engineRound(n).slice(0, 3) });
      let lane = anew();
      for (const order of orders) {
        if (await liveOnce({ mortal: lane, fate: () => fate, random: own, tally }, order)) continue;
        // It came into being, past what was meant: once more where nothing is yet.
        await liveOnce({ mortal: (lane = anew()), fate: () => fate, random: own, tally }, order);
      }
      await sound(lane);
    }),
  );

  it(
    'keeps what it promised, and no more than once, after kills and power cuts at every write of its life',
    each(() => Math.max(Math.ceil(KILLS * NAMED), later.size), () => killsAt(later, random), async (fate, named, own) => {
      const lane = new EngineLane({ powerCuts: fate === 'power cut' });
      const anywhere = Array.from({ length: Math.floor((KILLS * (1 - NAMED)) / 2) }, () => killAnywhere(callsOfALife, own));
      const orders = own.shuffled([...named, ...anywhere]);
      const never = await liveThrough({ mortal: lane, fate: () => fate, random: own, tally }, orders, async (kills) => {
        if (kills % KILLS_BETWEEN_LOOKS === 0) await sound(lane);
      });
      await sound(lane);
      process.stdout.write(`\n${fate}: ${orders.length - never.length} of ${orders.length} orders carried out over ${lane.rounds} rounds of work; never: ${never.map(tell).join(', ') || 'none'}\n`);
    }),
  );

  it(
    'keeps what it promised after kills and power cuts while its indexes are compacted',
    each(() => Infinity, () => COMPACTION.map((name): DiskOrder => ({ action: random.oneOf(['kill-before', 'kill-after']), name, first: 1, last: 1 })), async (fate, orders, own) => {
      const lane = new EngineLane({ powerCuts: fate === 'power cut', model: 'wide', work: engineCompaction });
      expect((await lane.live()).problems).toEqual([]);
      const killed: string[] = [];
      for (const order of orders) if (await liveOnce({ mortal: lane, fate: () => fate, random: own, tally }, order)) killed.push(order.name);
      await sound(lane);
      process.stdout.write(`\n${fate}: killed amid ${killed.join(', ')}\n`);
      expect(killed.length).toBeGreaterThan(2);
    }),
  );
});
