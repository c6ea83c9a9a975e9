import type { IndexPartition } from '@palimpsest/knowledge/read-models';

/** Tracks the partitions whose latest writes a crash of the machine may undo, and what is needed to sync them. */
export class UnsyncedPartitions {
  readonly #unsynced = new Map<string, IndexPartition>();
  /** Partitions whose journal may end with an incomplete frame after a failed write; loading truncates it. */
  readonly #cutOff = new Set<string>();
  /** Partitions that an earlier process wrote but did not sync, including file names. */
  readonly #inherited = new Set<string>();

  all(): readonly (readonly [string, IndexPartition])[] {
    return [...this.#unsynced];
  }

  has(key: string): boolean {
    return this.#unsynced.has(key);
  }

  written(key: string, of: IndexPartition): void {
    this.#unsynced.set(key, of);
  }

  /** Call it after loading files that a dead process left unsynced. */
  inherited(key: string, of: IndexPartition): void {
    this.#unsynced.set(key, of);
    this.#inherited.add(key);
    this.#cutOff.delete(key);
  }

  isInherited(key: string): boolean {
    return this.#inherited.has(key);
  }

  cutOff(key: string): void {
    this.#cutOff.add(key);
  }

  isCutOff(key: string): boolean {
    return this.#cutOff.has(key);
  }

  /** Call it after a new base was written and synced, including its name. */
  rebased(key: string): void {
    this.#unsynced.delete(key);
  }

  synced(key: string): void {
    this.#unsynced.delete(key);
    this.#inherited.delete(key);
  }

  forget(key: string): void {
    this.synced(key);
    this.#cutOff.delete(key);
  }
}
