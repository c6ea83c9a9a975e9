import type { ChunkKey } from './chunk-key.ts';
import { BLOCKS, CANDIDATES, Kernels, MASK } from './kernels.ts';
import { paddedWidth, type QueryCode } from './query-code.ts';

const BLOCK_ROWS = 64;
/** Copied without a pause: about a millisecond. */
const COPIED_BYTES = 4 * 2 ** 20;

/** Whole numbers in units of `SCORE_STEP`. */
export type ScoreSums = Readonly<{ rows: number; sum: number; squares: number }>;
export const SCORE_STEP = 2 ** -19;

/** A row that may be among the best, and the highest score that it may have. */
export type Candidate = Readonly<{ row: number; atMost: number }>;

/** `floor`: rows with a lower score are not wanted. `grouped`: chunks may have several rows, of which only the best counts. */
export type ScanOptions = Readonly<{ k: number; floor: number; grouped: boolean; firstRow: number }>;

/**
 * The codes of a part of the rows of a partition in their own WASM memory, scanned without a pause. Rows are only ever added and never
 * change, so a search can continue while rows are appended.
 */
export class Slab {
  readonly #kernels = new Kernels();
  readonly #dimensions: number;
  readonly #width: number;
  readonly #blockBytes: number;
  #rows = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#width = paddedWidth(dimensions);
    this.#blockBytes = this.#kernels.run.configure(this.#width);
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#kernels.bytes.length;
  }

  #reserve(rows: number): void {
    const needed = BLOCKS + Math.ceil(rows / BLOCK_ROWS) * this.#blockBytes;
    // Reserve some extra space, but little enough that hundreds of small partitions stay small.
    this.#kernels.reserve(needed, this.#rows > 0 ? this.bytes / 16 : 0);
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
      copied.#kernels.bytes.set(this.#kernels.bytes.subarray(at, Math.min(at + COPIED_BYTES, end)), at);
      yield;
    }
    copied.#rows = rows;
    return copied;
  }

  /** Adds the codes of a row. `vector`: the bytes of its little-endian float32 values. */
  append(key: ChunkKey, vector: Uint8Array): void {
    const row = this.#rows;
    this.#reserve(row + 1);
    const ids = this.#block(row) + this.#blockBytes - BLOCK_ROWS * 16;
    this.#kernels.words.set(key, (ids + (row % BLOCK_ROWS) * 16) / 4);
    this.#kernels.placeRow(vector, this.#width);
    this.#kernels.run.encode(row);
    this.#rows++;
  }

  /**
   * Finds the rows that may be among the k best of those whose bit is set in `mask` (32 rows per word), from word `from` (of 64 rows) on.
   * Rows are numbered from `firstRow` on. Stops early after many candidates: `upTo` is the word at which to go on.
   */
  scan(query: QueryCode, mask: Uint32Array, from: number, options: ScanOptions): Readonly<{ upTo: number; candidates: Candidate[] }> {
    this.#place(query, mask);
    const { bytes, run } = this.#kernels;
    run.setGrouped(options.grouped ? 1 : 0);
    const upTo = run.scan(from, mask.length / 2, options.firstRow, options.k, options.floor);
    const found = new DataView(bytes.buffer, CANDIDATES, 8 * run.candidateCount());
    const candidates: Candidate[] = [];
    for (let at = 0; at < found.byteLength; at += 8)
      candidates.push({ atMost: found.getFloat32(at, true), row: found.getUint32(at + 4, true) });
    return { upTo, candidates };
  }

  /** Sums the scores of every row whose bit is set in `mask`, estimated from the codes: at most some thousandths off. */
  sums(query: QueryCode, mask: Uint32Array): ScoreSums {
    this.#place(query, mask);
    const { run } = this.#kernels;
    const rows = run.sumScores(mask.length / 2);
    return { rows, sum: run.sumOfScores(), squares: run.sumOfSquares() };
  }

  #place(query: QueryCode, mask: Uint32Array): void {
    this.#kernels.placeQuery(query);
    this.#kernels.bytes.set(new Uint8Array(mask.buffer, mask.byteOffset, mask.byteLength), MASK);
  }

  #block(row: number): number {
    return BLOCKS + Math.floor(row / BLOCK_ROWS) * this.#blockBytes;
  }
}
