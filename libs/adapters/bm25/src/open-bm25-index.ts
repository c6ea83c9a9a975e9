import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { Bm25Index } from './bm25-index.ts';
import { KERNEL_FROM_CHUNKS } from './segment/live-segment.ts';

export type Bm25Options = Readonly<{
  /** Folder of the read models; each partition is stored in `<tenant>/<scope>/<generation>/lexical/`. Created when missing. */
  root: string;
  /** Each file is sealed under the key of its scope. */
  keys: Pick<ScopeKeys, 'cipher'>;
  /** Term frequency saturation: how quickly further occurrences of a word stop to raise the score. 0 or more. @default 1.2 */
  k1?: number;
  /** Length normalization: how much the length of a chunk lowers its score. 0-1. @default 0.75 */
  b?: number;
  /** The maximum size of loaded partitions in bytes; beyond it, partitions are unloaded. @default 512 MiB */
  cacheBytes?: number;
  /** The minimum size in bytes of a journal that is merged into its base. @default 256 KiB */
  compactFromBytes?: number;
  /** Segments of fewer chunks are scored in JavaScript. @default 2048 */
  kernelFromChunks?: number;
  /**
   * Called when damage is found after opening. All calls on the partition fail with Unavailable until it is dropped; the callback is
   * expected to start a rebuild from the log. Must not throw.
   */
  onDamage?: (partition: IndexPartition, reason: string) => void;
}>;

/**
 * Opens the index below `root`. Files that have not changed since they were flushed are read on first use. All others are read now, so
 * that damage is known when this returns. Only one process at a time may open the index.
 * @throws InvalidValue with the name of the option
 */
export const openBm25Index = async (options: Bm25Options): Promise<Bm25Index> => {
  const settings = {
    root: resolve(options.root),
    keys: options.keys,
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

const within = (name: string, value: number, min: number, max: number): number => {
  if (!(value >= min && value <= max)) throw new InvalidValue(name, `a number from ${min} to ${max}`, value);
  return value;
};
