const ENTRY_BYTES = 24;

export type RankedRow = Readonly<{ row: number; score: number }>;

/**
 * The k best rows so far, in the layout of the kernel (score, row, id), so that a search can continue in the next slab. It does not
 * refer to the memory of a slab, so results of several workers could be merged.
 */
export class BestRows {
  readonly wanted: number;
  held = 0;
  readonly bytes: Uint8Array;

  constructor(wanted: number) {
    this.wanted = wanted;
    this.bytes = new Uint8Array(wanted * ENTRY_BYTES);
  }

  get heldBytes(): Uint8Array {
    return this.bytes.subarray(0, this.held * ENTRY_BYTES);
  }

  /** Copies the result of a scan. */
  replace(entries: Uint8Array, held: number): void {
    this.held = held;
    this.bytes.set(entries.subarray(0, held * ENTRY_BYTES));
  }

  /** Returns the rows, best first. `idOrder` orders rows with the same score. */
  ranked(idOrder: (a: number, b: number) => number): readonly RankedRow[] {
    const view = new DataView(this.bytes.buffer);
    return Array.from({ length: this.held }, (_, i) => ({
      score: view.getFloat32(i * ENTRY_BYTES, true),
      row: view.getUint32(i * ENTRY_BYTES + 4, true),
    })).sort((a, b) => b.score - a.score || idOrder(a.row, b.row));
  }
}
