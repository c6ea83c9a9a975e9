import { SEALED_EXTRA } from '@palimpsest/contracts';
import { rowOf, type RowParts } from './row-parts.ts';

/** Reads what a file contains at a place. `length`: in bytes, once opened. */
export type PartReader = Readonly<{ read(at: number, length: number): Promise<Uint8Array>; close(): Promise<void> }>;

/** Opens a file when it is first needed. */
export class OpenOnce {
  readonly reader: () => Promise<PartReader>;
  #opened: Promise<PartReader> | undefined;

  constructor(open: () => Promise<PartReader>) {
    this.reader = () => (this.#opened ??= open());
  }

  async close(): Promise<void> {
    await this.#opened?.then((file) => file.close()).catch(() => {});
  }
}

/** The rows of one frame. `vectors`: undefined once they are only in the file. `at`: the place of the first part there. */
type Frame = Readonly<{ firstRow: number; rows: number; rowsPerPart: number; at: number; vectors: RowParts | undefined }>;

/**
 * The float32 values of the rows of a table. They are kept in memory only as long as there is space for them; otherwise they are read
 * from the file, which has them in parts that are sealed one by one.
 */
export class Originals {
  readonly #rowBytes: number;
  #frames: Frame[] = [];
  #areKept = true;
  #bytes = 0;

  constructor(dimensions: number) {
    this.#rowBytes = 4 * dimensions;
  }

  /** How much memory they use now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the rows of a frame, which follow those that were added before. `at`: the place of their first part in the file. */
  add(vectors: RowParts, rows: number, at: number): void {
    if (rows === 0) return;
    const { rowsPerPart } = vectors;
    this.#frames.push({ firstRow: this.#rows, rows, rowsPerPart, at, vectors: this.#areKept ? vectors : undefined });
    if (this.#areKept) this.#bytes += rows * this.#rowBytes;
  }

  /** From now on, they are read from the file. */
  evict(): void {
    if (!this.#areKept) return;
    this.#areKept = false;
    this.#bytes = 0;
    this.#frames = this.#frames.map((frame) => ({ ...frame, vectors: undefined }));
  }

  copy(): Originals {
    const copied = new Originals(this.#rowBytes / 4);
    copied.#frames = [...this.#frames];
    copied.#areKept = this.#areKept;
    copied.#bytes = this.#bytes;
    return copied;
  }

  /** Returns the bytes of these rows, in their order. `reader` is only called when they are not in memory. */
  async read(rows: readonly number[], reader: () => Promise<PartReader>): Promise<readonly Uint8Array[]> {
    // Without a promise for each row, which would cost more than measuring it.
    if (this.#areKept) return rows.map((row) => this.#inMemory(row));
    const parts = new Map<number, Promise<Uint8Array>>();
    return Promise.all(rows.map((row) => this.#fromFile(row, reader, parts)));
  }

  #inMemory(row: number): Uint8Array {
    const { firstRow, vectors } = this.#frameOf(row);
    if (vectors === undefined) throw new Error(`row ${row} is not in memory`);
    return rowOf(vectors, this.#rowBytes, row - firstRow);
  }

  /** `parts`: those that are already being read, by their places. */
  async #fromFile(row: number, reader: () => Promise<PartReader>, parts: Map<number, Promise<Uint8Array>>): Promise<Uint8Array> {
    const { firstRow, at, rows, rowsPerPart } = this.#frameOf(row);
    const inFrame = row - firstRow;
    const part = Math.floor(inFrame / rowsPerPart);
    const place = at + part * (rowsPerPart * this.#rowBytes + SEALED_EXTRA);
    const length = Math.min(rowsPerPart, rows - part * rowsPerPart) * this.#rowBytes;
    const reading = parts.get(place) ?? reader().then((file) => file.read(place, length));
    parts.set(place, reading);
    const offset = (inFrame % rowsPerPart) * this.#rowBytes;
    return (await reading).subarray(offset, offset + this.#rowBytes);
  }

  get #rows(): number {
    const last = this.#frames.at(-1);
    return last === undefined ? 0 : last.firstRow + last.rows;
  }

  #frameOf(row: number): Frame {
    let [low, high] = [0, this.#frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#frames[middle]?.firstRow ?? Infinity) <= row) low = middle;
      else high = middle - 1;
    }
    const frame = this.#frames[low];
    if (frame === undefined) throw new RangeError(`there is no row ${row}`);
    return frame;
  }
}
