import { createHash } from 'node:crypto';
import type { PartFigures } from './manifest.ts';
import { PARTS, type Part } from './records.ts';

type Tally = { items: number; bytes: number; hash: ReturnType<typeof createHash> };

/** Counts and hashes the records of each part, in the same way when writing and when reading. */
export class PartTally {
  readonly #parts: Readonly<Record<Part, Tally>>;

  constructor() {
    const tally = (): Tally => ({ items: 0, bytes: 0, hash: createHash('sha256') });
    this.#parts = { streams: tally(), events: tally(), truncations: tally(), blobs: tally(), files: tally() };
  }

  /** Adds one record in pieces; the first piece is its frame. */
  add(part: Part, items: number, pieces: readonly Uint8Array[]): void {
    const tally = this.#parts[part];
    tally.items += items;
    for (const piece of pieces) {
      tally.bytes += piece.length;
      tally.hash.update(piece);
    }
  }

  figures(): Readonly<Record<Part, PartFigures>> {
    const [streams, events, truncations, blobs, files] = PARTS.map((part) => {
      const { items, bytes, hash } = this.#parts[part];
      return { items, bytes, sha256: hash.copy().digest('hex') };
    }) as [PartFigures, PartFigures, PartFigures, PartFigures, PartFigures];
    return { streams, events, truncations, blobs, files };
  }
}
