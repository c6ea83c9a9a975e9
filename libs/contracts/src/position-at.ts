import type { EventLog, RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';

/**
 * The position of the last event that was recorded at a time or before it; START if there is none. Later times never give earlier
 * positions, also where the clock of a server was set back. Events of the time itself may still arrive if it has not passed.
 *
 * It is found by bisection, with some 60 reads of one event. Where they are made depends on the time and on the number of digits of the
 * end of the log only, so a log that grows gives the same answer again.
 * @param time ISO 8601 in UTC
 */
export const positionAt = async (log: Pick<EventLog, 'head' | 'readAll'>, time: string): Promise<Position> => {
  const until = Date.parse(time);
  const head = await log.head();
  let [before, end] = [START, powerAbove(head)];
  while (end - before > 1n) {
    const middle = ((before + end) / 2n) as Position;
    const next = middle >= head ? undefined : await firstAfter(log, middle);
    if (next !== undefined && next.position <= end && Date.parse(next.recordedAt) <= until) before = next.position;
    else end = middle;
  }
  const last = before >= head ? undefined : await firstAfter(log, before);
  return last !== undefined && last.position <= end && Date.parse(last.recordedAt) <= until ? last.position : before;
};

const powerAbove = (position: Position): Position => {
  let power = 1n;
  while (power <= position) power *= 2n;
  return power as Position;
};

const firstAfter = async (log: Pick<EventLog, 'readAll'>, from: Position): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readAll({ from, limit: 1 })) return event;
  return undefined;
};
