import type { DiskOrder } from '../disk/faulty-disk.ts';
import type { Survives } from '../disk/power-cut.ts';

/** The result of one run, from the start of a process to its end. */
export type Run = Readonly<{
  /** How often the order was carried out, and the name of the last call. */
  fired: Readonly<{ count: number; name: string }>;
  /** Milliseconds from the start of the process until it was ready, if it got that far. */
  readyMs?: number;
  /** Unsuccessful responses, steps that did not finish, unexpected ends. */
  problems: readonly string[];
}>;

/** Runs processes on one folder. */
export interface Worker {
  readonly rounds: number;
  run(order?: DiskOrder): Promise<Run>;
  /** Only between runs. Returns the number of lost changes. */
  powerCut(survives?: Survives): number;
  /** Starts a process without faults, finishes all work and returns what is wrong. */
  findProblems(): Promise<readonly string[]>;
}
