import { InvalidValue } from '@palimpsest/knowledge';

/** What an installation may choose; the defaults suit 384 dimensions and a machine with a few GB. */
export type ScanLimits = Readonly<{
  /** Bytes of loaded partitions kept in memory, all together; the least recently searched leave first. Default 1 GiB. */
  cacheBytes?: number;
  /** Partitions of fewer rows are scanned in float32 straight away. Default 1024. */
  coarseFromRows?: number;
  /** A file is compacted when it wastes this many bytes, and half of what it needs. Default 4 MiB. */
  compactFromBytes?: number;
  /** Rows scanned without a pause, and kept in one piece of memory; a multiple of 64, at most 131,072 (the default). */
  slabRows?: number;
}>;

export type ResolvedLimits = Required<ScanLimits>;

export const MAX_HITS = 1000;
/** One call's writes are one frame of a file, read and written in one piece. */
export const MAX_FRAME_BYTES = 1 << 30;
/** What a mask has room for in a slab's scratch area. */
export const MAX_SLAB_ROWS = 131_072;

/** @throws InvalidValue */
export const resolveLimits = (limits: ScanLimits): ResolvedLimits => {
  const whole = (field: keyof ScanLimits, fallback: number, least: number, most: number): number => {
    const value = limits[field] ?? fallback;
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw new InvalidValue(field, `a whole number from ${least} to ${most}`, value);
    return value;
  };
  const slabRows = whole('slabRows', MAX_SLAB_ROWS, 64, MAX_SLAB_ROWS);
  if (slabRows % 64 !== 0) throw new InvalidValue('slabRows', 'a multiple of 64', slabRows);
  return {
    cacheBytes: whole('cacheBytes', 2 ** 30, 0, Number.MAX_SAFE_INTEGER),
    coarseFromRows: whole('coarseFromRows', 1024, 0, Number.MAX_SAFE_INTEGER),
    compactFromBytes: whole('compactFromBytes', 4 * 2 ** 20, 0, Number.MAX_SAFE_INTEGER),
    slabRows,
  };
};
