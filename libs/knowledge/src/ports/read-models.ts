import type { Position } from '../values/position.ts';

/** How far the read models of this process have come. */
export interface ReadModels {
  /** Everything up to it is visible to reads. */
  position(): Position;
  /** Whether `position` was reached within `timeoutMs`, or before `signal` aborted. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** False while they are being rebuilt: answers would be incomplete. */
  serving(): boolean;
}
