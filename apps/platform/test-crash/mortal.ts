import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import type { Survives } from '../test/disk/power-cut.ts';

/** How a life went: from a start to its end. */
export type Life = Readonly<{
  /** The order was carried out, so many times, on the call of this name the last time. */
  fired: Readonly<{ count: number; name: string }>;
  /** Milliseconds from the start of the process until it was ready, when it came so far. */
  readyMs?: number;
  /** Answers that were no success, steps that came to no end, ends that nobody had ordered. */
  problems: readonly string[];
}>;

/** A folder, and what works on it, life after life. */
export interface Mortal {
  readonly rounds: number;
  live(order?: DiskOrder): Promise<Life>;
  /** Only between lives. Returns how many changes were lost. */
  powerCut(survives?: Survives): number;
  /** What is wrong after all that happened, once it is left alone. */
  wrong(): Promise<readonly string[]>;
}
