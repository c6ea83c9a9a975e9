import type { SeededRandom } from './seeded-random.ts';

/** The items in random order (Fisher and Yates). */
export const shuffled = <T>(items: readonly T[], random: SeededRandom): readonly T[] => {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
};
