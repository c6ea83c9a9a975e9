import type { Position } from '../values/position.ts';

/** The position that each subscriber of the log has processed, by name. `set` resolves when the position is on disk. */
export interface Checkpoints {
  get(name: string): Promise<Position>;
  set(name: string, position: Position): Promise<void>;
  close(): Promise<void>;
}
