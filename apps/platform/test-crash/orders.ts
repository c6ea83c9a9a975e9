import type { SeededRandom } from '../test-faults/seeded-random.ts';
import { nameOf, type DiskRecord } from '../test/disk/disk-journal.ts';
import type { Action, DiskOrder } from '../test/disk/faulty-disk.ts';

/** How often each name comes among what was written, in the order in which they first came. */
export const countsOf = (records: readonly DiskRecord[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const record of records) counts.set(nameOf(record), (counts.get(nameOf(record)) ?? 0) + 1);
  return counts;
};

/** A kill before and after the first, some middle and the last call of each name; of writes one half-way, too. */
export const killsAt = (counts: ReadonlyMap<string, number>, random: SeededRandom): readonly DiskOrder[] =>
  [...counts].flatMap(([name, count]) => {
    const places = [...new Set([1, whole(random, count), count])];
    const actions: readonly Action[] = name.endsWith(' write') ? ['kill-before', 'kill-within', 'kill-after'] : ['kill-before', 'kill-after'];
    return places.flatMap((place) => actions.map((action): DiskOrder => ({ action, name, first: place, last: place })));
  });

/** At most so many, in the order in which they stand: one of each name before a second one of any, and each action at it before one again; the rest is left to chance. */
export const evenly = <T extends Readonly<{ order: DiskOrder }>>(all: readonly T[], most: number, random: SeededRandom): readonly T[] => {
  const turns = <U>(groups: Iterable<readonly U[]>): readonly U[] =>
    [...groups].flatMap((ones) => ones.map((one, turn) => ({ one, turn }))).sort((a, b) => a.turn - b.turn).map(({ one }) => one);
  const ofName = Map.groupBy(random.shuffled(all), ({ order }) => order.name);
  const inTurn = [...ofName.values()].map((ones) => turns(Map.groupBy(ones, ({ order }) => order.action).values()));
  const chosen = new Set(turns(inTurn).slice(0, most));
  return all.filter((one) => chosen.has(one));
};

/** A kill at any of so many calls, whatever their names. */
export const killAnywhere = (calls: number, random: SeededRandom): DiskOrder => {
  const place = whole(random, calls);
  return { action: random.oneOf(['kill-before', 'kill-within', 'kill-after']), name: '*', first: place, last: place };
};

const whole = (random: SeededRandom, most: number): number => 1 + Math.floor(random.next() * most);

export const tell = ({ action, name, first, last }: DiskOrder): string => `${action} at ${first === last ? `call ${first}` : `calls ${first} and later`} of "${name}"`;
