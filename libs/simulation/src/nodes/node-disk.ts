import type { Position } from '@palimpsest/knowledge/values';
import { InMemoryCatalog, InMemoryCheckpoints, InMemoryLexicalIndex, InMemoryVectorIndex } from '@palimpsest/test-kit';
import type { Prng } from '../kernel/prng.ts';

export type LocalStores = Readonly<{
  catalog: InMemoryCatalog;
  vectors: InMemoryVectorIndex;
  lexical: InMemoryLexicalIndex;
  checkpoints: InMemoryCheckpoints;
}>;

/** How many of its last transactions a catalog may lose in a power cut: it does not sync each of them. */
const MAX_LOST_TRANSACTIONS = 3;

/** The disk of a process: what a crash leaves. */
export class NodeDisk {
  stores: LocalStores = {
    catalog: new InMemoryCatalog(),
    vectors: new InMemoryVectorIndex(),
    lexical: new InMemoryLexicalIndex(),
    checkpoints: new InMemoryCheckpoints(new Map<string, Position>()),
  };
  /** The last states of the catalog, the latest at the end. */
  #history: InMemoryCatalog[] = [];

  /** Call after each transaction of the catalog. */
  committed(): void {
    this.#history = [...this.#history, this.stores.catalog.copy()].slice(-MAX_LOST_TRANSACTIONS - 1);
  }

  /** The catalog was emptied, which is durable at once. */
  emptied(): void {
    this.#history = [];
  }

  /** After a power cut, what was not flushed is lost. Objects of the process that has ended no longer reach the disk. */
  crash(kind: 'kill' | 'power cut', prng: Prng): void {
    const { catalog, vectors, lexical, checkpoints } = this.stores;
    const left = kind === 'power cut' && this.#history.length > 0 ? prng.pick(this.#history) : catalog;
    this.stores = {
      catalog: left.copy(),
      vectors: new InMemoryVectorIndex(vectors.left(kind)),
      lexical: new InMemoryLexicalIndex(lexical.left(kind)),
      checkpoints,
    };
    this.#history = [];
  }
}
