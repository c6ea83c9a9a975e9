import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';

export const WAYS = [
  { way: 'fails once with EIO', action: 'EIO', lasting: false },
  { way: 'fails once with ENOSPC', action: 'ENOSPC', lasting: false },
  { way: 'writes only half', action: 'short', lasting: false },
  { way: 'and all later calls fail with ENOSPC', action: 'ENOSPC', lasting: true },
  { way: 'and all later calls fail with EIO', action: 'EIO', lasting: true },
] as const;

type Way = (typeof WAYS)[number];

/** The number of calls of each name in a run, and the total number of faults over all ways. */
export type Calls = Readonly<{ counts: ReadonlyMap<string, number>; faults: number; random: SeededRandom }>;

/**
 * With PALIMPSEST_DISK_EVERY=true every call is chosen. Otherwise half of the faults are at calls in regular intervals, and half at a
 * random call of different names, because a few names make most of the calls.
 */
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';

/** About `count` items of a list, in regular intervals from a random offset. */
export const some = <T>(list: readonly T[], count: number, random: SeededRandom): readonly T[] => {
  const stride = Math.max(1, Math.floor(list.length / count));
  const from = Math.floor(random.next() * stride);
  return list.filter((_, i) => i % stride === from);
};

/** The orders of one way. Only a write can be done half. */
export const ordersOf = ({ action, lasting }: Way, { counts, faults, random }: Calls): readonly DiskOrder[] => {
  const ending = action === 'short' ? ' write' : '';
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const wanted = Math.ceil(faults / WAYS.length / 2);
  const stride = EVERY ? 1 : Math.ceil(calls / wanted);
  const from = 1 + Math.floor(random.next() * stride);
  const atStride = Array.from({ length: Math.ceil((calls - from + 1) / stride) }, (_, i) => ({ name: `*${ending}`, n: from + i * stride }));
  const named = EVERY ? [] : random.shuffled([...counts].filter(([name]) => name.endsWith(ending))).slice(0, wanted);
  const chosen = [...atStride, ...named.map(([name, count]) => ({ name, n: 1 + Math.floor(random.next() * count) }))];
  return chosen.map(({ name, n }) => ({ action, name, first: n, last: lasting ? Number.MAX_SAFE_INTEGER : n }));
};

/** Expects no problems. A failure shows all earlier faults, which are needed to reproduce a rare one. */
export const expectNoProblems = (problems: readonly string[], met: readonly string[]): void => {
  expect(problems.length === 0 ? [] : { problems, met }).toEqual([]);
};
