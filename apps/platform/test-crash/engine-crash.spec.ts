import { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { EngineLane } from './engine/engine-lane.ts';
import { engineRound, type Wave } from './engine/engine-work.ts';
import { ENGINE_WRITES } from './engine/engine-writes.ts';
import { countsOf, evenly, killAnywhere, killsAt, tell } from './orders.ts';
import { FATES, liveOnce, liveThrough, sound, type Fate } from './stories.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from './whole-from.ts';

/** Kills of the long story; those of first starts, half as many, come on top. Each name of a write is met at least once. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_KILLS', 400);
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** Kills on one folder before it is looked at, and left: what there is to be opened and read grows with it. */
const KILLS_ON_A_FOLDER = 45;
/** So many of the kills come at named writes, and so many while it comes back, or goes, with nothing else to do; the others anywhere. */
const NAMED = 1 / 2;
const COMING_AND_GOING = 3 / 10;
/** From so many kills on each known name has to be among them: with fewer, an order may miss its call by chance. */
const ALL_NAMES_FROM = 300;

describe(`an engine that is killed, and whose power is cut (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const tally = new Tally();
  let firstStart: readonly string[];
  /** Of a life like most, and of one with a scope of its own and a rebuild. */
  let usual: ReadonlyMap<string, number>;
  let full: ReadonlyMap<string, number>;
  let later: ReadonlyMap<string, number>;
  let callsOfAnIdleLife: number;

  beforeAll(async () => {
    let idle = false;
    const lane = new EngineLane({ work: (n) => (idle ? [] : engineRound(n, { full: n === 2 })) });
    const life = async (): Promise<ReadonlyMap<string, number>> => {
      lane.disk.forget();
      expect((await lane.live()).problems).toEqual([]);
      return countsOf(lane.disk.records());
    };
    const first = await life();
    usual = await life();
    full = await life();
    idle = true;
    callsOfAnIdleLife = callsOf(await life());
    later = new Map([...full, ...usual]);
    firstStart = [...first.keys()].filter((name) => !later.has(name));
    // What is new in the data folder gets its kills only when somebody says that it is there.
    expect([...first.keys(), ...later.keys()].filter((name) => !ENGINE_WRITES.includes(name))).toEqual([]);
    process.stdout.write(`\n${firstStart.length} names of writes in a first start, ${usual.size} in most lives, ${later.size} in all, ${callsOf(usual)} calls in a life, ${callsOfAnIdleLife} in one without work\n`);
  });

  afterAll(() => void process.stdout.write(tally.summary('engine', new Set(ENGINE_WRITES))));

  /** Both fates side by side, each on folders of its own, and with its share of the orders. */
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
      const share = (part: number, calls: number): readonly DiskOrder[] => Array.from({ length: Math.floor((KILLS * part) / FATES.length) }, () => killAnywhere(calls, own));
      const comingAndGoing = share(COMING_AND_GOING, callsOfAnIdleLife);
      const idle = new Set(comingAndGoing);
      const orders = own.shuffled([...named, ...share(1 - NAMED - COMING_AND_GOING, callsOf(usual)), ...comingAndGoing]);
      // Nothing but a full life comes to some of the names.
      const work = (n: number, order: DiskOrder | undefined): readonly Wave[] =>
        order !== undefined && idle.has(order) ? [] : engineRound(n, { full: n % 12 === 11 || (order !== undefined && !usual.has(order.name) && full.has(order.name)) });
      const never: DiskOrder[] = [];
      let rounds = 0;
      for (let from = 0; from < orders.length; from += KILLS_ON_A_FOLDER) {
        const lane = new EngineLane({ powerCuts: fate === 'power cut', work });
        never.push(...(await liveThrough({ mortal: lane, fate: () => fate, random: own, tally }, orders.slice(from, from + KILLS_ON_A_FOLDER), () => Promise.resolve())));
        await sound(lane);
        await lane.end();
        rounds += lane.rounds;
      }
      process.stdout.write(`\n${fate}: ${orders.length - never.length} of ${orders.length} orders carried out over ${rounds} rounds of work; never: ${never.map(tell).join(', ') || 'none'}\n`);
    }),
  );

  it('was killed at every write that is known', () => {
    expect(tally.spared(KILLS >= ALL_NAMES_FROM ? ENGINE_WRITES : [])).toEqual([]);
  });
});

const callsOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
