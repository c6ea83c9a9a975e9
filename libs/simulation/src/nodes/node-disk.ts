import type { Position } from '@palimpsest/knowledge/values';
import { InMemoryCatalog, InMemoryCheckpoints, InMemoryLexicalIndex, InMemoryVectorIndex } from '@palimpsest/test-kit';
import type { Prng } from '../kernel/prng.ts';

/** How many of its last transactions a catalog may lose in a power cut: it does not sync each of them. */
const MAX_LOST_TRANSACTIONS = 3;

/** One set of read models on a disk. */
export class StoreSet {
  readonly catalog: InMemoryCatalog;
  readonly vectors: InMemoryVectorIndex;
  readonly lexical: InMemoryLexicalIndex;
  /** The last states of the catalog, the latest at the end. */
  #history: InMemoryCatalog[] = [];

  constructor(catalog = new InMemoryCatalog(), vectors = new InMemoryVectorIndex(), lexical = new InMemoryLexicalIndex()) {
    this.catalog = catalog;
    this.vectors = vectors;
    this.lexical = lexical;
  }

  /** Call after each transaction of the catalog. */
  committed(): void {
    this.#history = [...this.#history, this.catalog.copy()].slice(-MAX_LOST_TRANSACTIONS - 1);
  }

  /** The catalog was emptied, which is durable at once. */
  emptied(): void {
    this.#history = [];
  }

  /** What a crash leaves of it: after a power cut, nothing that was not flushed. */
  left(kind: 'kill' | 'power cut', prng: Prng): StoreSet {
    const catalog = kind === 'power cut' && this.#history.length > 0 ? prng.pick(this.#history) : this.catalog;
    return new StoreSet(
      catalog.copy(),
      new InMemoryVectorIndex(this.vectors.left(kind)),
      new InMemoryLexicalIndex(this.lexical.left(kind)),
    );
  }
}

/** The disk of a process: what a crash leaves. */
export class NodeDisk {
  readonly checkpoints = new InMemoryCheckpoints(new Map<string, Position>());
  /** The read models that the process uses now. */
  current = new StoreSet();

  /** Objects of the process that has ended no longer reach the disk. */
  crash(kind: 'kill' | 'power cut', prng: Prng): void {
    this.current = this.current.left(kind, prng);
  }
}
