import { systemRandom } from '../system/random.ts';

/** Attempts after which the pause does not grow further. Keeps `2 ** failures` finite. */
const MAX_DOUBLINGS = 30;

const bound = (failures: number, baseMs: number, capMs: number): number => Math.min(capMs, baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));

/**
 * A pause in milliseconds after `failures` earlier failures: `uniform(0, min(capMs, baseMs * 2^failures))`. Clients that failed
 * together do not retry together.
 */
export const fullJitter = (failures: number, baseMs: number, capMs: number, random: () => number = systemRandom.next): number =>
  random() * bound(failures, baseMs, capMs);

/** The same with at least half of the bound, for clients that must not reconnect immediately. */
export const equalJitter = (failures: number, baseMs: number, capMs: number, random: () => number = systemRandom.next): number =>
  bound(failures, baseMs, capMs) * (0.5 + random() / 2);
