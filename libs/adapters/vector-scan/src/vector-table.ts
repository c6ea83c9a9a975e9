import { setImmediate as pause } from 'node:timers/promises';
import { CHUNK_WORDS } from '@palimpsest/contracts';
import { runCooperatively } from '@palimpsest/foundation';
import type { Attributes, Filter } from '@palimpsest/knowledge/access';
import { NO_SPREAD, type IndexQuery, type ScoreSpread, type VectorHit } from '@palimpsest/knowledge/read-models';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { AttributeSets } from './attribute-sets.ts';
import { BestRows } from './best-rows.ts';
import type { ResolvedLimits } from './limits.ts';
import { sameKey } from './chunk-key.ts';
import { offerMeasured } from './exact-scores.ts';
import { Originals, type PartReader } from './originals.ts';
import { encodeQuery, type QueryCode } from './query-code.ts';
import type { RowBatch } from './row-batch.ts';
import { RowLookup } from './row-lookup.ts';
import { RowMask } from './row-mask.ts';
import { RowSample } from './row-sample.ts';
import { rowOf } from './row-parts.ts';
import { SCORE_STEP, Slab, type Candidate } from './slab.ts';

export type TableChunk = Readonly<{ chunkId: ChunkId; vector: Float32Array; further: readonly Float32Array[]; attributes: Attributes }>;
export type TableHits = Readonly<{ hits: readonly VectorHit[]; scanned: number; measured: number }>;

/** What is known of rows, apart from their codes. */
type Rows = Readonly<{ lookup: RowLookup; attributes: AttributeSets; alive: RowMask; setOf: number[]; originals: Originals }>;

const noRows = (dimensions: number): Rows => ({
  lookup: new RowLookup(),
  attributes: new AttributeSets(),
  alive: new RowMask(),
  setOf: [],
  originals: new Originals(dimensions),
});

/** A search in progress. `floor`: the score that a row must reach. `measured`: how many rows were compared in float32. */
type TableSearch = Readonly<{ query: QueryCode; grouped: boolean; best: BestRows; reader: () => Promise<PartReader> }> & {
  floor: number;
  measured: number;
};

/** The least number of rows that a search measures at a time. */
const MEASURED_TOGETHER = 32;

/**
 * A partition in memory. A chunk has one row for each of its vectors, in sequence. The rows of a replaced or removed chunk remain as dead
 * rows until the file is compacted and read again. So a search sees the state at its start, even when writes happen between its slabs.
 */
export class VectorTable {
  readonly dimensions: number;
  /** The id of the file that contains its rows. */
  readonly fileId: string;
  readonly #limits: ResolvedLimits;
  readonly #slabRows: number;
  readonly #slabs: Slab[] = [];
  readonly #lookup: RowLookup;
  readonly #attributes: AttributeSets;
  readonly #alive: RowMask;
  readonly #setOf: number[];
  readonly #originals: Originals;
  readonly #sample: RowSample;
  #chunks = 0;

  constructor(dimensions: number, fileId: string, limits: ResolvedLimits, rows: Rows = noRows(dimensions)) {
    this.fileId = fileId;
    this.#lookup = rows.lookup;
    this.#attributes = rows.attributes;
    this.#alive = rows.alive;
    this.#setOf = rows.setOf;
    this.#originals = rows.originals;
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
    return this.#slabs.reduce((sum, slab) => sum + slab.bytes, 0) + this.#lookup.bytes + 8 * this.#setOf.length + this.#originals.bytes;
  }

  /** How many of the bytes `evictOriginals` frees. */
  get originalBytes(): number {
    return this.#originals.bytes;
  }

  /** From now on, searches read the float32 values that they need from the file. */
  evictOriginals(): void {
    this.#originals.evict();
  }

  /** Applies all writes of one call. `at`: the place of their first vector in the file. */
  apply(batch: RowBatch, at: number): void {
    const sets = batch.sets.map((json) => this.#attributes.intern(json));
    for (let at = 0; at < batch.removeKeys.length; at += 4) this.#markDead(batch.removeKeys.subarray(at, at + 4));
    const rowBytes = 4 * batch.dimensions;
    batch.setOf.forEach((set, i) => {
      const key = batch.putKeys.subarray(4 * i, 4 * i + 4);
      const continues = i > 0 && sameKey(key, batch.putKeys.subarray(4 * i - 4, 4 * i));
      if (!continues) {
        this.#markDead(key);
        this.#chunks++;
      }
      const row = this.#lookup.append(key);
      this.#slabFor(row).append(key, rowOf(batch.vectors, rowBytes, i));
      this.#setOf.push(sets[set] ?? 0);
      this.#alive.set(row);
    });
    this.#originals.add(batch.vectors, batch.setOf.length, at);
  }

  /**
   * Returns the `k` best chunks, each by its best vector, as of the call. The codes rule out most rows; the others are measured, best
   * bound first, until no bound reaches the k-th best score.
   * @param vector unit length, with `dimensions` values
   * @param reader for the file with this table's rows
   */
  async search(vector: Float32Array, { k, filter, chunks }: IndexQuery, reader: () => Promise<PartReader>): Promise<TableHits> {
    const matching = filter === undefined ? this.#alive.copy() : this.#matching(filter);
    const mask = chunks === undefined ? matching : this.#selected(matching, chunks);
    const [query, grouped] = [encodeQuery(vector), this.rows > this.#chunks];
    const search: TableSearch = { query, grouped, best: new BestRows(k), reader, floor: -Infinity, measured: 0 };
    for (const [i, slab] of this.#slabs.slice(0, Math.ceil(mask.rows / this.#slabRows)).entries()) {
      const firstRow = i * this.#slabRows;
      const words = mask.words(firstRow, this.#slabRows);
      for (let from = 0; from < words.length / 2;) {
        if (i + from > 0) await pause();
        const { upTo, candidates } = slab.scan(query, words, from, { k, floor: search.floor, grouped, firstRow });
        from = upTo;
        await this.#measure(candidates, search);
      }
    }
    const ranked = search.best.ranked((a, b) => this.#lookup.compare(a, b));
    const hits = ranked.map(({ row, score }) => ({ chunkId: this.#lookup.id(row), score }));
    return { hits, scanned: mask.count, measured: search.measured };
  }

  /** Measures the candidates that may still be among the best. */
  async #measure(candidates: Candidate[], search: TableSearch): Promise<void> {
    candidates.sort((a, b) => b.atMost - a.atMost);
    for (let from = 0; from < candidates.length;) {
      const most = Math.max(MEASURED_TOGETHER, search.best.wanted - search.best.held);
      const rows = candidates.slice(from, from + most).flatMap(({ row, atMost }) => (atMost < search.floor ? [] : [row]));
      if (rows.length === 0) return;
      const vectors = await this.#originals.read(rows, search.reader);
      const measured = vectors.map((vector, i) => ({ row: rows[i] ?? 0, key: this.#lookup.key(rows[i] ?? 0), vector }));
      search.floor = offerMeasured(search.query, measured, search.grouped, search.best);
      search.measured += rows.length;
      from += most;
    }
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
  async *chunksById(reader: () => Promise<PartReader>): AsyncGenerator<TableChunk> {
    const rows = this.#alive.list().sort((a, b) => this.#lookup.compare(a, b) || a - b);
    for (let at = 0; at < rows.length;) {
      const end = this.#endOfChunk(rows, at);
      const [vector, ...further] = (await this.#originals.read(rows.slice(at, end), reader)).map(numbersOf);
      const row = rows[at] ?? 0;
      if (vector !== undefined)
        yield { chunkId: this.#lookup.id(row), vector, further, attributes: this.#attributes.record(this.#setOf[row] ?? 0) };
      at = end;
    }
  }

  #endOfChunk(rows: readonly number[], at: number): number {
    let end = at + 1;
    while (end < rows.length && this.#lookup.compare(rows[at] ?? 0, rows[end] ?? 0) === 0) end++;
    return end;
  }

  isAlive(row: number): boolean {
    return this.#alive.has(row);
  }

  /** A table with the rows as of the call. `table` copies them, while searches and writes go on here. */
  copy(): Readonly<{ table: () => Promise<VectorTable> }> {
    const copied = new VectorTable(this.dimensions, this.fileId, this.#limits, {
      lookup: this.#lookup.copy(),
      attributes: this.#attributes.copy(),
      alive: this.#alive.copy(),
      setOf: [...this.#setOf],
      originals: this.#originals.copy(),
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
    for (let row = this.#lookup.find(key) ?? -1; row >= 0 && sameKey(this.#lookup.key(row), key); row--) yield row;
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
}

const numbersOf = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
