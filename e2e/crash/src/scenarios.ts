import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { NOTHING_SURVIVES, type Survives } from '@palimpsest/e2e-support/disk/power-cut';
import type { Worker } from '@palimpsest/e2e-support/crash/worker';
import { describeOrder } from '@palimpsest/e2e-support/crash/orders';
import type { Tally } from './tally.ts';

export const INJECTED_FAULTS = ['kill', 'power cut'] as const;
/** The process is killed, or the power is cut at the same moment, which also loses unsynced writes. */
export type InjectedFault = (typeof INJECTED_FAULTS)[number];

/** The maximum number of runs for an order whose call does not occur. */
const MAX_TRIES = 4;

export type Scenario = Readonly<{
  worker: Worker;
  /** The fault of the next run. */
  nextFault: () => InjectedFault;
  random: SeededRandom;
  tally: Tally;
}>;

/** Does one run; returns whether the order was carried out. @throws on any problem that the kill does not explain */
export const runOnce = async ({ worker, nextFault, random, tally }: Scenario, order: DiskOrder): Promise<boolean> => {
  const run = await worker.run(order);
  tally.add(run);
  // A process that was killed before it was ready did not start, which is no problem of its own.
  const problems = run.fired.count > 0 && run.readyMs === undefined ? [] : run.problems;
  expect({ order: describeOrder(order), problems }).toEqual({ order: describeOrder(order), problems: [] });
  if (run.fired.count === 0) return false;
  tally.killed(run.fired.name);
  if (nextFault() === 'power cut') {
    // In half of the cases all unsynced changes are lost, in the others a random subset.
    const some: Survives = () => random.next() < 0.5;
    tally.powerCut(worker.powerCut(random.next() < 0.5 ? NOTHING_SURVIVES : some));
  }
  return true;
};

/**
 * Carries out the orders sequentially, one per run. An order whose call does not occur is moved to the end, up to `MAX_TRIES` times.
 * @returns the orders that were never carried out
 */
export const runAll = async (
  scenario: Scenario,
  orders: readonly DiskOrder[],
  afterKill: (kills: number) => Promise<void>,
): Promise<readonly DiskOrder[]> => {
  const waiting = orders.map((order) => ({ order, tries: 1 }));
  const never: DiskOrder[] = [];
  let kills = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { order, tries } = next;
    if (await runOnce(scenario, order)) await afterKill(++kills);
    // Runs differ: if there were fewer such calls, the first one is used.
    else if (tries < MAX_TRIES) waiting.push({ order: { ...order, first: 1, last: 1 }, tries: tries + 1 });
    else never.push(order);
  }
  return never;
};

/** Expects that the worker has no problems. */
export const expectHealthy = async (worker: Worker): Promise<void> => expect(await worker.findProblems()).toEqual([]);
