import type { Position } from '../values/position.ts';

/** How far a follower of the log has come, by its name. `set` resolves when it is on disk. */
export interface Checkpoints {
  get(name: string): Promise<Position>;
  set(name: string, position: Position): Promise<void>;
  close(): Promise<void>;
}
