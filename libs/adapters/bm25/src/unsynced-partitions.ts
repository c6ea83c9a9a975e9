import type { IndexPartition } from '@palimpsest/knowledge';

/** Which partitions have files that a crash of the machine may still undo, and what syncing them takes. */
export class UnsyncedPartitions {
  readonly #unsynced = new Map<string, IndexPartition>();
  /** Whose journal may end in half a frame, since writing it failed; loading cuts that off. */
  readonly #cutOff = new Set<string>();
  /** What an earlier process wrote and did not come to sync, names included. */
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

  /** Read from files that a process left that has died. */
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

  /** A base holds all of it now, synced with its name. */
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
