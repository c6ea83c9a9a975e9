import type { Point } from '@palimpsest/contracts/http';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { earlierOf, type Position } from '@palimpsest/knowledge/values';

/** The part of the history that is asked for. Both ends are exclusive. */
export type TimeSpan = Readonly<{ after?: Point; before?: Point }>;
type Place = Pick<RecordedEvent, 'position' | 'recordedAt'>;

/** The log records events in the order of their times. */
export const isAfter = ({ position, recordedAt }: Place, point: Point): boolean =>
  'position' in point ? position > point.position : Date.parse(recordedAt) > point.time;

export const isBefore = ({ position, recordedAt }: Place, point: Point): boolean =>
  'position' in point ? position < point.position : Date.parse(recordedAt) < point.time;

/** Where to start reading backwards; undefined: at the end. A position beyond the end would be one that the log never assigned. */
export const startOf = ({ before }: TimeSpan, cursor: Position | undefined, head: Position): Position | undefined => {
  const bound = before !== undefined && 'position' in before && before.position <= head ? before.position : undefined;
  return cursor !== undefined && bound !== undefined ? earlierOf(cursor, bound) : (cursor ?? bound);
};
