import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidValue, type IndexPartition } from '@palimpsest/knowledge';
import { Bm25Index } from './bm25-index.ts';
import { KERNEL_FROM_CHUNKS } from './segment/live-segment.ts';

export type Bm25Options = Readonly<{
  /** Folder of the read models; partitions lie below it as `<tenant>/<scope>/<generation>/lexical/`. Made if missing. */
  root: string;
  /** How soon repeating a word stops to count: 0 or more. @default 1.2 */
  k1?: number;
  /** How much length counts against a chunk: 0-1. @default 0.75 */
  b?: number;
  /** Loaded partitions are unloaded beyond this many bytes. @default 512 MiB */
  cacheBytes?: number;
  /** A journal shorter than this is never merged into its base, in bytes. @default 256 KiB */
  compactFromBytes?: number;
  /** Segments of fewer chunks are scored in JavaScript. @default 2048 */
  kernelFromChunks?: number;
  /**
   * Told of damage that was found after opening. Until that partition is dropped, it answers nothing and takes nothing
   * (Unavailable): whoever can make it again from the log has to. Must not throw.
   */
  onDamage?: (partition: IndexPartition, reason: string) => void;
}>;

/**
 * Opens the index below `root`. Files that are as they were flushed are taken as they are, and read when they are first
 * used; everything else is read through: what is damaged is known when this returns. One process at a time may have it open.
 * @throws InvalidValue naming the option
 */
export const openBm25Index = async (options: Bm25Options): Promise<Bm25Index> => {
  const settings = {
    root: resolve(options.root),
    k1: within('k1', options.k1 ?? 1.2, 0, 1000),
    b: within('b', options.b ?? 0.75, 0, 1),
    cacheBytes: within('cacheBytes', options.cacheBytes ?? 512 * 2 ** 20, 0, Number.MAX_SAFE_INTEGER),
    compactFromBytes: within('compactFromBytes', options.compactFromBytes ?? 256 * 2 ** 10, 0, Number.MAX_SAFE_INTEGER),
    kernelFromChunks: within('kernelFromChunks', options.kernelFromChunks ?? KERNEL_FROM_CHUNKS, 0, Number.MAX_SAFE_INTEGER),
    onDamage: options.onDamage ?? (() => {}),
  };
  await mkdir(settings.root, { recursive: true });
  const index = new Bm25Index(settings);
  await index.inspect();
  return index;
};

const within = (name: string, value: number, least: number, most: number): number => {
  if (!(value >= least && value <= most)) throw new InvalidValue(name, `a number from ${least} to ${most}`, value);
  return value;
};
