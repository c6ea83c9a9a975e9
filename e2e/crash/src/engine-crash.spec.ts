import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { EngineLane } from '@palimpsest/e2e-support/crash/engine/engine-lane';
import { engineRound, type Wave } from '@palimpsest/e2e-support/crash/engine/engine-work';
import { ENGINE_WRITES } from './engine-writes.ts';
import { countsOf, describeOrder, evenly, killAnywhere, killsAt } from '@palimpsest/e2e-support/crash/orders';
import { expectHealthy, INJECTED_FAULTS, runAll, runOnce, type InjectedFault } from './scenarios.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';

/** Kills in the long scenario; kills of first starts are additional, half as many. Each named write gets at least one kill. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_KILLS', 300);
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
/** Kills on one folder before it is checked and replaced, because starts get slower as the folder grows. */
const KILLS_ON_A_FOLDER = 45;
/** The fraction of kills at named writes, and during start and stop without other work; the remaining kills are at random calls. */
const NAMED = 1 / 2;
const START_AND_STOP = 3 / 10;
/** From this number of kills on, every known write must be among them; with fewer, an order may miss its call by chance. */
const ALL_NAMES_FROM = 300;

describe(`an engine with kills and power cuts (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const tally = new Tally();
  let firstStart: readonly string[];
  /** The write counts of a typical run, and of a run with its own scope and a rebuild. */
  let typical: ReadonlyMap<string, number>;
  let full: ReadonlyMap<string, number>;
  let later: ReadonlyMap<string, number>;
  let callsOfAnIdleRun: number;

  beforeAll(async () => {
    let idle = false;
    const lane = new EngineLane({ work: (n) => (idle ? [] : engineRound(n, { full: n === 2 })) });
    const countRun = async (): Promise<ReadonlyMap<string, number>> => {
      lane.disk.forget();
      expect((await lane.run()).problems).toEqual([]);
      return countsOf(lane.disk.records());
    };
    const first = await countRun();
    typical = await countRun();
    full = await countRun();
    idle = true;
    callsOfAnIdleRun = callsOf(await countRun());
    later = new Map([...full, ...typical]);
    firstStart = [...first.keys()].filter((name) => !later.has(name));
    // A new type of write gets its kills only after it was added to ENGINE_WRITES.
    expect([...first.keys(), ...later.keys()].filter((name) => !ENGINE_WRITES.includes(name))).toEqual([]);
    process.stdout.write(
      `\n${firstStart.length} names of writes in a first start, ${typical.size} in a typical run, ${later.size} in total, ${callsOf(typical)} calls in a run, ${callsOfAnIdleRun} in a run without work\n`,
    );
  });

  afterAll(() => void process.stdout.write(tally.summary('engine', new Set(ENGINE_WRITES))));

  /** Runs the scenario for both injected faults in parallel, each on its own folders and with its share of the orders. */
  const each =
    (
      max: () => number,
      orders: () => readonly DiskOrder[],
      scenario: (fault: InjectedFault, mine: readonly DiskOrder[], own: SeededRandom) => Promise<void>,
    ) =>
    async (): Promise<void> => {
      const chosen = evenly(
        orders().flatMap((order) => INJECTED_FAULTS.map((fault) => ({ order, fault }))),
        max(),
        random,
      );
      await Promise.all(
        INJECTED_FAULTS.map((fault) =>
          scenario(
            fault,
            chosen.filter((one) => one.fault === fault).map(({ order }) => order),
            random.fork(),
          ),
        ),
      );
    };

  it(
    'completes its first start after a kill or a power cut at each write of that start',
    each(
      () => Math.max(KILLS >> 1, firstStart.length),
      () => firstStart.flatMap((name) => killsAt(new Map([[name, 1]]), random)),
      async (fault, orders, own) => {
        const newLane = (): EngineLane => new EngineLane({ powerCuts: fault === 'power cut', work: (n) => engineRound(n).slice(0, 3) });
        let lane = newLane();
        for (const order of orders) {
          if (await runOnce({ worker: lane, nextFault: () => fault, random: own, tally }, order)) continue;
          // The first start was already complete before this call: try again on an empty folder.
          await runOnce({ worker: (lane = newLane()), nextFault: () => fault, random: own, tally }, order);
        }
        await expectHealthy(lane);
      },
    ),
  );

  it(
    'keeps everything acknowledged, exactly once, after kills and power cuts at every write',
    each(
      () => Math.max(Math.ceil(KILLS * NAMED), later.size),
      () => killsAt(later, random),
      async (fault, named, own) => {
        const share = (part: number, calls: number): readonly DiskOrder[] =>
          Array.from({ length: Math.floor((KILLS * part) / INJECTED_FAULTS.length) }, () => killAnywhere(calls, own));
        const startAndStop = share(START_AND_STOP, callsOfAnIdleRun);
        const idle = new Set(startAndStop);
        const orders = own.shuffled([...named, ...share(1 - NAMED - START_AND_STOP, callsOf(typical)), ...startAndStop]);
        // Some of the writes happen only in a full run.
        const work = (n: number, order: DiskOrder | undefined): readonly Wave[] =>
          order !== undefined && idle.has(order)
            ? []
            : engineRound(n, { full: n % 12 === 11 || (order !== undefined && !typical.has(order.name) && full.has(order.name)) });
        const never: DiskOrder[] = [];
        let rounds = 0;
        for (let from = 0; from < orders.length; from += KILLS_ON_A_FOLDER) {
          const lane = new EngineLane({ powerCuts: fault === 'power cut', work });
          never.push(
            ...(await runAll(
              { worker: lane, nextFault: () => fault, random: own, tally },
              orders.slice(from, from + KILLS_ON_A_FOLDER),
              () => Promise.resolve(),
            )),
          );
          await expectHealthy(lane);
          await lane.end();
          rounds += lane.rounds;
        }
        process.stdout.write(
          `\n${fault}: ${orders.length - never.length} of ${orders.length} orders carried out over ${rounds} rounds of work; never: ${never.map(describeOrder).join(', ') || 'none'}\n`,
        );
      },
    ),
  );

  it('was killed at every known write', () => {
    expect(tally.notKilledAt(KILLS >= ALL_NAMES_FROM ? ENGINE_WRITES : [])).toEqual([]);
  });
});

const callsOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
