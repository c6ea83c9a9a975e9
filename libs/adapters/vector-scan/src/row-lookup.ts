import { chunkIdAt } from '@palimpsest/contracts';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { ChunkKey } from './chunk-key.ts';

const EMPTY = -1;

/**
 * Finds the row of a chunk: a hash table with open addressing in typed arrays, 24 bytes per row (a Map of strings needs five times as
 * much). A replaced chunk points to its newest row. Entries are never removed; callers check whether the row is alive.
 */
export class RowLookup {
  #words = new Uint32Array(4 * 64);
  #slots = new Int32Array(128).fill(EMPTY);
  #rows = 0;

  get bytes(): number {
    return this.#words.byteLength + this.#slots.byteLength;
  }

  /** Returns the newest row of this chunk, or undefined. */
  find(key: ChunkKey): number | undefined {
    const row = this.#slots[this.#slotOf(key)] ?? EMPTY;
    return row === EMPTY ? undefined : row;
  }

  /** Assigns the next row to the chunk. */
  append(key: ChunkKey): number {
    const row = this.#rows++;
    if (4 * this.#rows > this.#words.length) this.#words = grown(this.#words);
    if (2 * this.#rows > this.#slots.length) this.#rehash();
    this.#words.set(key, 4 * row);
    this.#slots[this.#slotOf(key)] = row;
    return row;
  }

  copy(): RowLookup {
    const copied = new RowLookup();
    copied.#words = this.#words.slice();
    copied.#slots = this.#slots.slice();
    copied.#rows = this.#rows;
    return copied;
  }

  key(row: number): ChunkKey {
    return this.#words.subarray(4 * row, 4 * row + 4);
  }

  id(row: number): ChunkId {
    return chunkIdAt(this.#words, row);
  }

  /** Returns a 32-bit hash of the chunk id. */
  hash(row: number): number {
    return hash(this.key(row));
  }

  /** Returns a negative number when the chunk id of `a` comes before that of `b`. */
  compare(a: number, b: number): number {
    for (let i = 0; i < 4; i++) {
      const order = this.#word(a, i) - this.#word(b, i);
      if (order !== 0) return order;
    }
    return 0;
  }

  #word(row: number, i: number): number {
    return this.#words[4 * row + i] ?? 0;
  }

  /** Returns the slot of this key, or the empty slot for it. */
  #slotOf(key: ChunkKey): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(key) & mask; ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot] ?? EMPTY;
      if (row === EMPTY || this.#holds(row, key)) return slot;
    }
  }

  #holds(row: number, key: ChunkKey): boolean {
    for (let i = 0; i < 4; i++) if (this.#word(row, i) !== key[i]) return false;
    return true;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    // In the order of the rows, so that the newest row of a chunk wins. The row that is being added is not included yet.
    for (let row = 0; row < this.#rows - 1; row++) this.#slots[this.#slotOf(this.key(row))] = row;
  }
}

const grown = (words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
};

/** Ids are usually hashes already, but a caller may use sequential ids. */
const hash = (key: ChunkKey): number => {
  let h = 0;
  for (const word of key) h = Math.imul(h ^ word, 0x9e3779b1) ^ (h >>> 15);
  return (h ^ (h >>> 16)) >>> 0;
};
