import { readFileSync } from 'node:fs';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { BestRows } from './best-rows.ts';
import type { ChunkKey } from './chunk-key.ts';
import { paddedWidth, type QueryCode } from './query-code.ts';
import { wasm, type WasmMemory } from './wasm.ts';

// Addresses of the scratch area, as in ../kernels/scratch.ts.
const HEAP = 1024;
const QUERY = 32768;
const QUERY_CODE = 49152;
const MASK = 53248;
const BLOCKS = 69632;
const PAGE = 65536;
const BLOCK_ROWS = 64;
/** Copied without a pause: about a millisecond. */
const COPIED_BYTES = 4 * 2 ** 20;

type Kernels = Readonly<{
  configure(width: number): number;
  encode(row: number): void;
  setGrouped(grouped: number): void;
  setQuery(scale: number, errorPerResidual: number, constantError: number, codeOffset: number): void;
  scan(words: number, firstRow: number, coarse: number, k: number, alreadyHeld: number): number;
  measuredRows(): number;
  sumScores(words: number): number;
  sumOfScores(): number;
  sumOfSquares(): number;
}>;

/** Whole numbers in units of `SCORE_STEP`. */
export type ScoreSums = Readonly<{ rows: number; sum: number; squares: number }>;
export const SCORE_STEP = 2 ** -19;

let compiled: object | undefined;

/** The path is the same from src/ and from dist/; `npm run build` creates the file. */
const kernelModule = (): object => (compiled ??= new wasm.Module(readFileSync(new URL('../dist/kernels.wasm', import.meta.url))));

/**
 * A part of the rows of a partition in its own WASM memory, scanned without a pause. Rows are only ever added and never change, so a
 * search can continue while rows are appended.
 */
export class Slab {
  readonly #kernels: Kernels;
  readonly #memory: WasmMemory;
  readonly #dimensions: number;
  readonly #width: number;
  readonly #blockBytes: number;
  #rows = 0;
  /** Views of the whole memory. They are recreated when the memory grows, because that detaches the old views. */
  #bytes: Uint8Array;
  #words: Uint32Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#width = paddedWidth(dimensions);
    this.#memory = new wasm.Memory({ initial: 1 });
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Uint32Array(this.#memory.buffer);
    const env = { memory: this.#memory, abort: () => undefined };
    this.#kernels = new wasm.Instance(kernelModule(), { env }).exports as Kernels;
    this.#blockBytes = this.#kernels.configure(this.#width);
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes.length;
  }

  #reserve(rows: number): void {
    const needed = BLOCKS + Math.ceil(rows / BLOCK_ROWS) * this.#blockBytes;
    const missing = Math.ceil((needed - this.bytes) / PAGE);
    // Reserve some extra space, but little enough that hundreds of small partitions stay small.
    if (missing > 0) this.#grow(missing + (this.#rows > 0 ? Math.ceil(this.bytes / PAGE / 16) : 0));
  }

  /** A slab with the rows as of the call, not with those that are appended between the steps. */
  copySteps(): Generator<void, Slab> {
    return this.#copySteps(this.#rows);
  }

  *#copySteps(rows: number): Generator<void, Slab> {
    const copied = new Slab(this.#dimensions);
    copied.#reserve(rows);
    const end = this.#block(rows - 1) + this.#blockBytes;
    for (let at = BLOCKS; at < end; at += COPIED_BYTES) {
      copied.#bytes.set(this.#bytes.subarray(at, Math.min(at + COPIED_BYTES, end)), at);
      yield;
    }
    copied.#rows = rows;
    return copied;
  }

  /** `vector`: the bytes of its little-endian float32 values. */
  append(key: ChunkKey, vector: Uint8Array): void {
    const row = this.#rows;
    this.#reserve(row + 1);
    const lane = row % BLOCK_ROWS;
    const block = this.#block(row);
    this.#bytes.set(vector, block + lane * this.#width * 4);
    const ids = block + BLOCK_ROWS * (this.#width * 5 + 8);
    this.#words.set(key, (ids + lane * 16) / 4);
    this.#kernels.encode(row);
    this.#rows++;
  }

  /** Returns a copy of the bytes that were passed to `append`. */
  vectorBytes(row: number): Uint8Array {
    const at = this.#block(row) + (row % BLOCK_ROWS) * this.#width * 4;
    return this.#bytes.slice(at, at + this.#dimensions * 4);
  }

  /**
   * Offers every row whose bit is set in `mask` (32 rows per word) to `best`, with row numbers starting at `firstRow`. `grouped`: chunks
   * may have several rows, and only the best row of a chunk is kept.
   * @returns how many rows were compared in float32; with `coarse`, only those that their codes do not rule out
   */
  scan(
    query: QueryCode,
    mask: Uint32Array,
    firstRow: number,
    { coarse, grouped }: Readonly<{ coarse: boolean; grouped: boolean }>,
    best: BestRows,
  ): number {
    const memory = this.#bytes;
    this.#place(query, mask);
    memory.set(best.heldBytes, HEAP);
    this.#kernels.setGrouped(grouped ? 1 : 0);
    const held = this.#kernels.scan(mask.length / 2, firstRow, coarse ? 1 : 0, best.wanted, best.held);
    best.replace(memory.subarray(HEAP), held);
    return this.#kernels.measuredRows();
  }

  /** Sums the scores of every row whose bit is set in `mask`, estimated from the codes: at most some thousandths off. */
  sums(query: QueryCode, mask: Uint32Array): ScoreSums {
    this.#place(query, mask);
    const rows = this.#kernels.sumScores(mask.length / 2);
    return { rows, sum: this.#kernels.sumOfScores(), squares: this.#kernels.sumOfSquares() };
  }

  #place(query: QueryCode, mask: Uint32Array): void {
    this.#bytes.set(new Uint8Array(query.values.buffer), QUERY);
    this.#bytes.set(new Uint8Array(query.codes.buffer), QUERY_CODE);
    this.#bytes.set(new Uint8Array(mask.buffer, mask.byteOffset, mask.byteLength), MASK);
    this.#kernels.setQuery(query.scale, query.errorPerResidual, query.constantError, query.offset);
  }

  #grow(pages: number): void {
    try {
      this.#memory.grow(pages);
    } catch (error) {
      throw new Unavailable(`cannot allocate ${this.bytes + pages * PAGE} bytes of memory for vectors`, { cause: error });
    }
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Uint32Array(this.#memory.buffer);
  }

  #block(row: number): number {
    return BLOCKS + Math.floor(row / BLOCK_ROWS) * this.#blockBytes;
  }
}
