import type { EventView } from '@palimpsest/client';

/** Number of live events that are kept; older ones can be loaded from the log. */
const KEPT = 500;

/** Decimal strings of any length. */
const isLater = (one: string, other: string): boolean => BigInt(one) > BigInt(other);

/** Puts a new event first. An event that arrives twice, over two connections, is listed once. */
export const withArrived = (arrived: readonly EventView[], event: EventView): readonly EventView[] => {
  const [latest] = arrived;
  return latest !== undefined && !isLater(event.position, latest.position) ? arrived : [event, ...arrived].slice(0, KEPT);
};

export const newestFirst = (arrived: readonly EventView[], listed: readonly EventView[]): readonly EventView[] => {
  const oldest = arrived.at(-1);
  return oldest === undefined ? listed : [...arrived, ...listed.filter(({ position }) => isLater(oldest.position, position))];
};
