import type { IndexBytes } from '@palimpsest/knowledge/plans';
import { SEALED_EXTRA } from '@palimpsest/contracts';
import { FRAME_HEAD_BYTES, HEADER_BYTES } from './frames.ts';
import { FRAME_BYTES } from './live-rows.ts';
import { paddedWidth } from './query-code.ts';
import { rowsInPart } from './row-parts.ts';

/** A row in a slab, in addition to its numbers: residual and scale of the code, the id of the chunk. */
const ROW_IN_SLAB = 24;
/** A row outside of the slabs: 8 for its attributes; id and slot of the lookup, whose tables double when they are full, so 1.5 times 24 on average. */
const ROW_OUTSIDE = 8 + 36;
/** Scratch area of the first slab. Slabs grow by a sixteenth more than they need, on average half of that is used. */
const SCRATCH = 86_016;
const GROWTH = 1 + 1 / 32;
/** A row in the file, in addition to its numbers: id of the chunk, number of its attributes. */
const ROW_IN_FILE = 20;
/** The share of a row in frames and attributes. */
const ROW_SHARE = 40;
/** The header of a file, and the mark that it was flushed. */
const FILE = HEADER_BYTES + FRAME_HEAD_BYTES;
/** A frame in addition to its rows: its head, the number of its parts, the first part without rows. */
const FRAME = FRAME_HEAD_BYTES + 4 + 4 + 24 + SEALED_EXTRA;
/** A part in addition to its content: its length, its seal. */
const PART = 4 + SEALED_EXTRA;

/**
 * With n vectors of d dimensions (w: d rounded up to 32): memory = 86,016 + n · (4d + 1.03 · (w + 24) + 44), because each row is stored as float32 and as
 * codes of one byte; the 4d only as long as the cache has space for them. Disk = n · (4d + 60). Rows of replaced chunks come on top until
 * the next compaction.
 */
export const bytesFor = (vectors: number, dimensions: number): IndexBytes => ({
  memory:
    vectors === 0 ? 0 : Math.round(SCRATCH + vectors * (4 * dimensions + GROWTH * (paddedWidth(dimensions) + ROW_IN_SLAB) + ROW_OUTSIDE)),
  disk: vectors * (4 * dimensions + ROW_IN_FILE + ROW_SHARE),
});

/** How many bytes a compacted file has, without attributes. */
export const compactBytes = (rows: number, dimensions: number): number => {
  const numbers = 4 * dimensions * rows;
  const frames = Math.max(1, Math.ceil(numbers / FRAME_BYTES));
  return FILE + frames * FRAME + rows * ROW_IN_FILE + numbers + Math.ceil(rows / rowsInPart(4 * dimensions)) * PART;
};
