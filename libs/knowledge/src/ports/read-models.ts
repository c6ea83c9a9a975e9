import type { Position } from '../values/position.ts';

/** Progress of the read models of this process. */
export interface ReadModels {
  /** All events up to this position are visible to reads. */
  position(): Position;
  /** Whether `position` was reached within `timeoutMs`, or before `signal` aborted. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** False while the read models are being rebuilt: results would be incomplete. */
  serving(): boolean;
}
