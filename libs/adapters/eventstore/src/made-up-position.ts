import type { Position } from '@palimpsest/knowledge/values';
import type { Connection } from './connection.ts';
import { unfilteredRead, type Direction } from './read-request.ts';
import { isInvalidPosition, mayBeInvalidPosition } from './server-faults.ts';
import { serverRead } from './server-read.ts';

/**
 * Whether a filtered read failed because no event begins at `position`. Version 23.10 gives the same answer for damaged files.
 * It names the reason only for a read without a filter, so one event is read without a filter.
 */
export const isMadeUp = async (
  connection: Connection,
  error: unknown,
  position: Position | 'end',
  direction: Direction,
  idleMs: number,
): Promise<boolean> => {
  if (isInvalidPosition(error)) return true;
  if (position === 'end' || !mayBeInvalidPosition(error)) return false;
  try {
    for await (const _ of serverRead(connection, unfilteredRead(direction, position), { idleMs })) return false;
    return false;
  } catch (second) {
    return isInvalidPosition(second);
  }
};
