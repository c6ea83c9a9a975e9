import type { Position } from '../values/position.ts';

/** How far the read models of this process have come. */
export interface ReadModels {
  /** Everything up to it is visible to reads. */
  position(): Position;
  /** Whether `position` was reached within `timeoutMs`. */
  reached(position: Position, timeoutMs: number): Promise<boolean>;
  /** False while they are being rebuilt: answers would be incomplete. */
  serving(): boolean;
}
