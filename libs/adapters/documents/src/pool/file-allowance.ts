import type { PoolOptions } from '../parser-limits.ts';

/** What a file may compute, by its size: a small one that takes long is hostile or damaged, a large one may just be large. */
export type FileAllowance = Readonly<{ /** Beyond, it counts as slow, milliseconds. */ quickMs: number; /** Beyond, it is given up, milliseconds. */ computeMs: number }>;

const MEGABYTE = 1_000_000;

export const allowanceOf = (bytes: number, options: PoolOptions): FileAllowance => {
  const megabytes = bytes / MEGABYTE;
  return {
    quickMs: Math.min(options.quickMsAtMost, options.quickMs + megabytes * options.quickMsPerMb),
    computeMs: Math.min(options.computeMsAtMost, options.computeMs + megabytes * options.computeMsPerMb),
  };
};
