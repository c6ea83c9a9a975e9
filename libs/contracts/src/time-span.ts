import { positionAt } from './position-at.ts';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import type { AsOf } from '@palimpsest/knowledge/past';

/** The part of the history that is asked for. Both ends are exclusive. */
export type TimeSpan = Readonly<{ after?: AsOf; before?: AsOf }>;
/** The same by positions. `before` is that of an event, or missing if all events are before it. */
export type Span = Readonly<{ after?: Position; before?: Position }>;

/** Finds the positions of times. */
export const spanOf = async (log: Pick<EventLog, 'head' | 'readAll'>, { after, before }: TimeSpan): Promise<Span> => {
  const start = after === undefined ? undefined : 'position' in after ? after.position : await positionAt(log, after.time);
  const end = before === undefined ? undefined : 'position' in before ? before.position : await firstFrom(log, before.time);
  const head = await log.head();
  // A position beyond the end would be one that the log never assigned.
  return { ...(start === undefined ? {} : { after: start }), ...(end === undefined || end > head ? {} : { before: end }) };
};

/** The position of the first event at a time or after it. */
const firstFrom = async (log: Pick<EventLog, 'head' | 'readAll'>, time: string): Promise<Position | undefined> => {
  const from = await positionAt(log, new Date(Date.parse(time) - 1).toISOString());
  for await (const { position } of log.readAll({ from, limit: 1 })) return position;
  return undefined;
};
