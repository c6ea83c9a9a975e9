import type { SeededRandom } from '../test-faults/seeded-random.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';

export const WAYS = [
  { way: 'fails once with EIO', action: 'EIO', lasting: false },
  { way: 'fails once with ENOSPC', action: 'ENOSPC', lasting: false },
  { way: 'is done half', action: 'short', lasting: false },
  { way: 'and all after it fail with ENOSPC', action: 'ENOSPC', lasting: true },
  { way: 'and all after it fail with EIO', action: 'EIO', lasting: true },
] as const;

type Way = (typeof WAYS)[number];

/** What is chosen from: how often each named call was made in a life, and how many faults there are to be in all ways together. */
export type Calls = Readonly<{ counts: ReadonlyMap<string, number>; faults: number; random: SeededRandom }>;

/** With PALIMPSEST_DISK_EVERY=true every call is chosen; else half of the wanted ones at a stride, and half at some call of as many names: most calls are of few names. */
const EVERY = process.env['PALIMPSEST_DISK_EVERY'] === 'true';

/** About so many of a list, at a stride from an offset by chance. */
export const some = <T>(list: readonly T[], count: number, random: SeededRandom): readonly T[] => {
  const stride = Math.max(1, Math.floor(list.length / count));
  const from = Math.floor(random.next() * stride);
  return list.filter((_, i) => i % stride === from);
};

/** The orders of one way. Only writes can be done half. */
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

/** What was wrong, with all that was done before: without that, a fault in a hundred is not found again. */
export const expectSound = (wrong: readonly string[], met: readonly string[]): void => {
  expect(wrong.length === 0 ? [] : { wrong, met }).toEqual([]);
};
