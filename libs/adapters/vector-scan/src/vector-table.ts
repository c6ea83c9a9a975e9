import { setImmediate as pause } from 'node:timers/promises';
import { CHUNK_WORDS } from '@palimpsest/contracts';
import { runCooperatively } from '@palimpsest/foundation';
import type { Attributes, Filter } from '@palimpsest/knowledge/access';
import { NO_SPREAD, type IndexQuery, type ScoreSpread, type VectorHit } from '@palimpsest/knowledge/read-models';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import { AttributeSets } from './attribute-sets.ts';
import { BestRows } from './best-rows.ts';
import type { ResolvedLimits } from './limits.ts';
import { encodeQuery } from './query-code.ts';
import type { RowBatch } from './row-batch.ts';
import { RowLookup } from './row-lookup.ts';
import { RowMask } from './row-mask.ts';
import { RowSample } from './row-sample.ts';
import { SCORE_STEP, Slab } from './slab.ts';

export type TableChunk = Readonly<{ chunkId: ChunkId; vector: Float32Array; further: readonly Float32Array[]; attributes: Attributes }>;
export type TableHits = Readonly<{ hits: readonly VectorHit[]; scanned: number; measured: number }>;

/** The bytes of float32 rows in one frame of a compacted file: small enough to be read without a noticeable pause. */
const FRAME_BYTES = 4 * 2 ** 20;

/** What is known of rows, apart from their vectors. */
type Rows = Readonly<{ lookup: RowLookup; attributes: AttributeSets; alive: RowMask; setOf: number[] }>;

const emptyRows = (): Rows => ({ lookup: new RowLookup(), attributes: new AttributeSets(), alive: new RowMask(), setOf: [] });

/**
 * A partition in memory. A chunk has one row for each of its vectors, in sequence. The rows of a replaced or removed chunk remain as dead
 * rows until the file is compacted and read again. So a search sees the state at its start, even when writes happen between its slabs.
 */
export class VectorTable {
  readonly dimensions: number;
  readonly #limits: ResolvedLimits;
  readonly #slabRows: number;
  readonly #slabs: Slab[] = [];
  readonly #lookup: RowLookup;
  readonly #attributes: AttributeSets;
  readonly #alive: RowMask;
  readonly #setOf: number[];
  readonly #sample: RowSample;
  #chunks = 0;

  constructor(dimensions: number, limits: ResolvedLimits, rows: Rows = emptyRows()) {
    this.#lookup = rows.lookup;
    this.#attributes = rows.attributes;
    this.#alive = rows.alive;
    this.#setOf = rows.setOf;
    this.#sample = new RowSample(rows.lookup);
    this.dimensions = dimensions;
    this.#limits = limits;
    // At most about 48 MB of codes for any width: some milliseconds of scanning.
    this.#slabRows = Math.min(limits.slabRows, Math.max(64, Math.floor((131_072 * 384) / dimensions / 64) * 64));
  }

  get chunks(): number {
    return this.#chunks;
  }

  /** The number of vectors of all chunks, without dead rows. */
  get rows(): number {
    return this.#alive.count;
  }

  get bytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + slab.bytes, 0) + this.#lookup.bytes + 8 * this.#setOf.length;
  }

  /** Applies all writes of one call. */
  apply(batch: RowBatch): void {
    const sets = batch.sets.map((json) => this.#attributes.intern(json));
    for (let at = 0; at < batch.removeKeys.length; at += 4) this.#markDead(batch.removeKeys.subarray(at, at + 4));
    const rowBytes = 4 * batch.dimensions;
    batch.setOf.forEach((set, i) => {
      const key = batch.putKeys.subarray(4 * i, 4 * i + 4);
      const continues = i > 0 && sameWords(key, batch.putKeys.subarray(4 * i - 4, 4 * i));
      if (!continues) {
        this.#markDead(key);
        this.#chunks++;
      }
      const row = this.#lookup.append(key);
      this.#slabFor(row).append(key, batch.vectors.subarray(rowBytes * i, rowBytes * (i + 1)));
      this.#setOf.push(sets[set] ?? 0);
      this.#alive.set(row);
    });
  }

  /** Returns the `k` best chunks, each by its best vector, as of the call. @param vector unit length, with `dimensions` values */
  async search(vector: Float32Array, { k, filter, chunks }: IndexQuery): Promise<TableHits> {
    const matching = filter === undefined ? this.#alive.copy() : this.#matching(filter);
    const mask = chunks === undefined ? matching : this.#selected(matching, chunks);
    const query = encodeQuery(vector);
    const best = new BestRows(k);
    const coarse = mask.count >= this.#limits.coarseFromRows;
    const grouped = this.rows > this.#chunks;
    let measured = 0;
    for (const [i, slab] of this.#slabs.slice(0, Math.ceil(mask.rows / this.#slabRows)).entries()) {
      if (i > 0) await pause();
      const firstRow = i * this.#slabRows;
      measured += slab.scan(query, mask.words(firstRow, this.#slabRows), firstRow, { coarse, grouped }, best);
    }
    const ranked = best.ranked((a, b) => this.#lookup.compare(a, b));
    return { hits: ranked.map(({ row, score }) => ({ chunkId: this.#lookup.id(row), score })), scanned: mask.count, measured };
  }

  /** Returns the spread of the scores of all live rows, or of their sample. @param vector as for `search` */
  spread(vector: Float32Array): ScoreSpread {
    const count = this.#alive.count;
    if (count === 0) return NO_SPREAD;
    const mask = this.#sample.of(this.#alive);
    const query = encodeQuery(vector);
    let [rows, sum, squares] = [0, 0, 0];
    for (const [i, slab] of this.#slabs.slice(0, Math.ceil(mask.rows / this.#slabRows)).entries()) {
      const ofSlab = slab.sums(query, mask.words(i * this.#slabRows, this.#slabRows));
      rows += ofSlab.rows;
      sum += ofSlab.sum;
      squares += ofSlab.squares;
    }
    const mean = sum / rows;
    return { count, mean: mean * SCORE_STEP, deviation: Math.sqrt(Math.max(0, squares / rows - mean * mean)) * SCORE_STEP };
  }

  /** Yields the current chunks, ordered by chunk id. */
  *chunksById(): Generator<TableChunk> {
    const rows = this.#rowsById();
    for (let at = 0; at < rows.length;) {
      const end = this.#endOfChunk(rows, at);
      const [vector, ...further] = rows.slice(at, end).map((row) => this.#vector(row));
      const row = rows[at] ?? 0;
      if (vector !== undefined)
        yield { chunkId: this.#lookup.id(row), vector, further, attributes: this.#attributes.record(this.#setOf[row] ?? 0) };
      at = end;
    }
  }

  /** Returns the live rows ordered by chunk id; the rows of one chunk keep their order. */
  #rowsById(): readonly number[] {
    return this.#alive.list().sort((a, b) => this.#lookup.compare(a, b) || a - b);
  }

  #endOfChunk(rows: readonly number[], at: number): number {
    let end = at + 1;
    while (end < rows.length && this.#lookup.compare(rows[at] ?? 0, rows[end] ?? 0) === 0) end++;
    return end;
  }

  #vector(row: number): Float32Array {
    const bytes = this.#vectorBytes(row);
    return new Float32Array(bytes.buffer, bytes.byteOffset, this.dimensions);
  }

  /** Yields all live rows as puts, ordered by chunk id. Yields at least one batch, so that `upTo` and the dimensions are kept. */
  *batches(upTo: Position): Generator<RowBatch> {
    const rows = this.#rowsById();
    const size = Math.max(1, Math.floor(FRAME_BYTES / (4 * this.dimensions)));
    for (let from = 0, end = 0; from === 0 || from < rows.length; from = end) {
      // Never splits the rows of a chunk: the second frame would replace the rows of the first one.
      end = Math.max(this.#endOfChunk(rows, Math.min(from + size, rows.length) - 1), 1);
      yield this.#batch(rows.slice(from, end), upTo);
    }
  }

  #batch(rows: readonly number[], upTo: Position): RowBatch {
    const local = new Map<number, number>();
    const setOf = Uint32Array.from(rows, (row) => {
      const set = this.#setOf[row] ?? 0;
      if (!local.has(set)) local.set(set, local.size);
      return local.get(set) ?? 0;
    });
    const putKeys = new Uint32Array(4 * rows.length);
    const vectors = new Uint8Array(4 * this.dimensions * rows.length);
    rows.forEach((row, i) => {
      putKeys.set(this.#lookup.key(row), 4 * i);
      vectors.set(this.#vectorBytes(row), 4 * this.dimensions * i);
    });
    const sets = [...local.keys()].map((set) => this.#attributes.json(set));
    return { upTo, dimensions: this.dimensions, sets, setOf, putKeys, removeKeys: new Uint32Array(0), vectors };
  }

  /** A table with the rows as of the call. `table` copies them, while searches and writes go on here. */
  copy(): Readonly<{ table: () => Promise<VectorTable> }> {
    const copied = new VectorTable(this.dimensions, this.#limits, {
      lookup: this.#lookup.copy(),
      attributes: this.#attributes.copy(),
      alive: this.#alive.copy(),
      setOf: [...this.#setOf],
    });
    copied.#chunks = this.#chunks;
    const slabs = this.#slabs.map((slab) => slab.copySteps());
    return {
      table: async () => {
        for (const steps of slabs) copied.#slabs.push(await runCooperatively(steps));
        return copied;
      },
    };
  }

  #markDead(key: Uint32Array): void {
    const last = this.#lookup.find(key);
    if (last === undefined || !this.#alive.has(last)) return;
    this.#chunks--;
    for (const row of this.#rowsOf(key)) this.#alive.clear(row);
  }

  /** The rows of a chunk, the last one first, perhaps with dead ones of an earlier put. */
  *#rowsOf(key: Uint32Array): Generator<number> {
    for (let row = this.#lookup.find(key) ?? -1; row >= 0 && sameWords(this.#lookup.key(row), key); row--) yield row;
  }

  /** Those of `rows` that belong to selected chunks. */
  #selected(rows: RowMask, selection: ChunkSelection): RowMask {
    const isOnly = 'only' in selection;
    const listed = isOnly ? selection.only : selection.except;
    const selected = isOnly ? new RowMask() : rows;
    for (let at = 0; at < listed.length; at += CHUNK_WORDS)
      for (const row of this.#rowsOf(listed.subarray(at, at + CHUNK_WORDS))) {
        if (!isOnly) rows.clear(row);
        else if (rows.has(row)) selected.set(row);
      }
    return selected;
  }

  #matching(filter: Filter): RowMask {
    const verdicts = this.#attributes.verdicts(filter);
    return this.#alive.filtered((row) => verdicts[this.#setOf[row] ?? 0] === true);
  }

  #slabFor(row: number): Slab {
    const number = Math.floor(row / this.#slabRows);
    return (this.#slabs[number] ??= new Slab(this.dimensions));
  }

  #vectorBytes(row: number): Uint8Array {
    return this.#slabFor(row).vectorBytes(row % this.#slabRows);
  }
}

const sameWords = (a: Uint32Array, b: Uint32Array): boolean => a.every((word, i) => word === b[i]);
