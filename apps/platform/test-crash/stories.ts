import type { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { NOTHING_SURVIVES, type Survives } from '../test/disk/power-cut.ts';
import type { Mortal } from './mortal.ts';
import { tell } from './orders.ts';
import type { Tally } from './tally.ts';

export const FATES = ['kill', 'power cut'] as const;
/** What comes of a process and its machine: the process is killed, or the power goes at that moment, and with it what was not synced. */
export type Fate = (typeof FATES)[number];

/** After so many lives in which an order was not carried out, since there was no such call, it is given up. */
const MOST_TRIES = 4;

export type Story = Readonly<{
  mortal: Mortal;
  /** What becomes of the next life. */
  fate: () => Fate;
  random: SeededRandom;
  tally: Tally;
}>;

/** One life; true when it ended as it was ordered. What else went wrong in it is thrown: only a kill excuses anything. */
export const liveOnce = async ({ mortal, fate, random, tally }: Story, order: DiskOrder): Promise<boolean> => {
  const life = await mortal.live(order);
  tally.life(life);
  // Who was killed before it was ready could not say so: that it did not start is told by nobody but us.
  const problems = life.fired.count > 0 && life.readyMs === undefined ? [] : life.problems;
  expect({ order: tell(order), problems }).toEqual({ order: tell(order), problems: [] });
  if (life.fired.count === 0) return false;
  tally.killed(life.fired.name);
  if (fate() === 'power cut') {
    // Half of the time the disk has none of what was not synced; else it has some of it, in no order.
    const some: Survives = () => random.next() < 0.5;
    tally.powerCut(mortal.powerCut(random.next() < 0.5 ? NOTHING_SURVIVES : some));
  }
  return true;
};

/**
 * Orders are carried out one life after the other; one that found no such call goes to the end, until it was tried often enough.
 * @returns those that never found theirs
 */
export const liveThrough = async (story: Story, orders: readonly DiskOrder[], afterKill: (kills: number) => Promise<void>): Promise<readonly DiskOrder[]> => {
  const waiting = orders.map((order) => ({ order, tries: 1 }));
  const never: DiskOrder[] = [];
  let kills = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { order, tries } = next;
    if (await liveOnce(story, order)) await afterKill(++kills);
    // No life is like another: where there were fewer such calls, the first will do.
    else if (tries < MOST_TRIES) waiting.push({ order: { ...order, first: 1, last: 1 }, tries: tries + 1 });
    else never.push(order);
  }
  return never;
};

/** Nothing is wrong. */
export const sound = async (mortal: Mortal): Promise<void> => expect(await mortal.wrong()).toEqual([]);
