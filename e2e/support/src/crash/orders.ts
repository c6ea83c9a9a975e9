import type { SeededRandom } from '../seeded-random.ts';
import { nameOf, type DiskRecord } from '../disk/disk-journal.ts';
import type { Action, DiskOrder } from '../disk/faulty-disk.ts';

/** The number of writes of each name, in the order of their first occurrence. */
export const countsOf = (records: readonly DiskRecord[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const record of records) counts.set(nameOf(record), (counts.get(nameOf(record)) ?? 0) + 1);
  return counts;
};

/** Kills before and after the first, a random middle and the last call of each name; for writes also during the call. */
export const killsAt = (counts: ReadonlyMap<string, number>, random: SeededRandom): readonly DiskOrder[] =>
  [...counts].flatMap(([name, count]) => {
    const places = [...new Set([1, whole(random, count), count])];
    const actions: readonly Action[] = name.endsWith(' write')
      ? ['kill-before', 'kill-within', 'kill-after']
      : ['kill-before', 'kill-after'];
    return places.flatMap((place) => actions.map((action): DiskOrder => ({ action, name, first: place, last: place })));
  });

/**
 * Chooses at most `max` orders at random and keeps their sequence. Chooses one order of each name before a second of any name, and each
 * action of a name before it repeats one.
 */
export const evenly = <T extends Readonly<{ order: DiskOrder }>>(all: readonly T[], max: number, random: SeededRandom): readonly T[] => {
  const interleave = <U>(groups: Iterable<readonly U[]>): readonly U[] =>
    [...groups]
      .flatMap((ones) => ones.map((one, round) => ({ one, round })))
      .sort((a, b) => a.round - b.round)
      .map(({ one }) => one);
  const ofName = Map.groupBy(random.shuffled(all), ({ order }) => order.name);
  const byName = [...ofName.values()].map((ones) => interleave(Map.groupBy(ones, ({ order }) => order.action).values()));
  const chosen = new Set(interleave(byName).slice(0, max));
  return all.filter((one) => chosen.has(one));
};

/** A kill at a random call of any name, out of this number of calls. */
export const killAnywhere = (calls: number, random: SeededRandom): DiskOrder => {
  const place = whole(random, calls);
  return { action: random.oneOf(['kill-before', 'kill-within', 'kill-after']), name: '*', first: place, last: place };
};

const whole = (random: SeededRandom, max: number): number => 1 + Math.floor(random.next() * max);

export const describeOrder = ({ action, name, first, last }: DiskOrder): string =>
  `${action} at ${first === last ? `call ${first}` : `calls ${first} and later`} of "${name}"`;
