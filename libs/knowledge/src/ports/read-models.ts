import type { Position } from '../values/position.ts';

/**
 * Progress of the read models of this process. Promises, all checked by `describeReadModels`:
 * - `position` never decreases while `serving`; a rebuild in place begins at the start again, and does not serve until it has reached
 *   the position that the read models had before;
 * - `reached` resolves with true at once for a position that is already reached, and otherwise when it is; with false after the timeout,
 *   when the signal aborts (also if it aborted before the call), and when the read models stop.
 */
export interface ReadModels {
  /** All events up to this position are visible to reads. */
  position(): Position;
  /** Whether `position` was reached within `timeoutMs` (undefined: no limit), or before `signal` aborted. */
  reached(position: Position, timeoutMs: number | undefined, signal?: AbortSignal): Promise<boolean>;
  /** False while the read models are being rebuilt: results would be incomplete. */
  serving(): boolean;
}
