import type { PoolOptions } from '../parser-limits.ts';

/** CPU time limits of a file, by its size: a small file that takes long is hostile or damaged, a large one may just be large. */
export type FileAllowance = Readonly<{
  /** After this, the file counts as slow, milliseconds. */ quickMs: number;
  /** After this, the file is rejected, milliseconds. */ computeMs: number;
}>;

const MEGABYTE = 1_000_000;

export const allowanceOf = (bytes: number, options: PoolOptions): FileAllowance => {
  const megabytes = bytes / MEGABYTE;
  return {
    quickMs: Math.min(options.quickMsAtMost, options.quickMs + megabytes * options.quickMsPerMb),
    computeMs: Math.min(options.computeMsAtMost, options.computeMs + megabytes * options.computeMsPerMb),
  };
};
