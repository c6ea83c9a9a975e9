import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import type { Partition } from './partition/partition.ts';
import type { PartitionStore } from './storage/partition-store.ts';

/** A partition in memory, with its position and the size of its files. */
export type Loaded = {
  readonly of: IndexPartition;
  readonly partition: Partition;
  store: PartitionStore;
  position: Position;
  baseBytes: number;
  journalBytes: number;
  /** The value of `partition.superseded` when the files last held no superseded chunks. */
  cleanAt: number;
};

/** The loaded partitions, least recently used first. Their total size is kept below a limit. */
export class LoadedPartitions {
  readonly #limit: number;
  readonly #loaded = new Map<string, Loaded>();
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Loaded | undefined {
    const loaded = this.#loaded.get(key);
    if (loaded === undefined) return undefined;
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    return loaded;
  }

  set(key: string, loaded: Loaded): void {
    this.#loaded.set(key, loaded);
  }

  /** Whether this object is the loaded one: a caller may still hold an older one. */
  holds(key: string, loaded: Loaded): boolean {
    return this.#loaded.get(key) === loaded;
  }

  /** Removes it, to be used elsewhere. */
  take(key: string): Loaded | undefined {
    const loaded = this.#loaded.get(key);
    this.#remove(key);
    return loaded;
  }

  delete(key: string): void {
    this.#loaded.get(key)?.partition.release();
    this.#remove(key);
  }

  #remove(key: string): void {
    this.#loaded.delete(key);
    this.#total -= this.#bytes.get(key) ?? 0;
    this.#bytes.delete(key);
  }

  clear(): void {
    for (const key of [...this.#loaded.keys()]) this.delete(key);
  }

  /** Updates the size of a partition after use, and unloads others while the total exceeds the limit. `keep`: must not be unloaded now. */
  settle(key: string, keep: (key: string) => boolean): void {
    const loaded = this.#loaded.get(key);
    if (loaded === undefined) return;
    const bytes = loaded.partition.bytes;
    this.#total += bytes - (this.#bytes.get(key) ?? 0);
    this.#bytes.set(key, bytes);
    for (const other of this.#loaded.keys()) {
      if (this.#total <= this.#limit) return;
      if (other !== key && !keep(other)) this.delete(other);
    }
  }
}
