import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';

/** Read models that follow a log with a few events. */
export type ReadModelsUnderTest = Readonly<{
  readModels: ReadModels;
  /** Starts following the log. */
  start(): void;
  /** Appends events that change the read models; returns the position of the last one. */
  append(): Promise<Position>;
  head(): Promise<Position>;
  /** Reports damage of a store, so that it is emptied and everything is projected again. */
  damage(): void;
  /** Stops following. Also called at the end of each test. */
  stop(): Promise<void>;
}>;
