import { InvalidValue } from '@palimpsest/knowledge/errors';

/** The configurable limits. The defaults suit 384 dimensions and a machine with a few GB of memory. */
export type ScanLimits = Readonly<{
  /**
   * The total size of loaded partitions in bytes. When it is reached, the float32 values of the least recently searched partitions leave
   * the memory first: searches then read those that they need from the file. Default 1 GiB.
   */
  cacheBytes?: number;
  /** A file is compacted when it wastes this many bytes plus half of the bytes that it needs. Default 4 MiB. */
  compactFromBytes?: number;
  /** Rows that are scanned without a pause and stored in one piece of memory; a multiple of 64, at most 131,072 (the default). */
  slabRows?: number;
}>;

export type ResolvedLimits = Required<ScanLimits>;

/** The writes of one call form one frame of the file, which is read and written as a whole. */
export const MAX_FRAME_BYTES = 1 << 30;
/** The number of rows that fit into the mask in the scratch area of a slab. */
const MAX_SLAB_ROWS = 131_072;

/** @throws InvalidValue */
export const resolveLimits = (limits: ScanLimits): ResolvedLimits => {
  const whole = (field: keyof ScanLimits, fallback: number, min: number, max: number): number => {
    const value = limits[field] ?? fallback;
    if (!Number.isSafeInteger(value) || value < min || value > max)
      throw new InvalidValue(field, `a whole number from ${min} to ${max}`, value);
    return value;
  };
  const slabRows = whole('slabRows', MAX_SLAB_ROWS, 64, MAX_SLAB_ROWS);
  if (slabRows % 64 !== 0) throw new InvalidValue('slabRows', 'a multiple of 64', slabRows);
  return {
    cacheBytes: whole('cacheBytes', 2 ** 30, 0, Number.MAX_SAFE_INTEGER),
    compactFromBytes: whole('compactFromBytes', 4 * 2 ** 20, 0, Number.MAX_SAFE_INTEGER),
    slabRows,
  };
};
