import type { IndexBytes } from '@palimpsest/knowledge/plans';
import { paddedWidth } from './query-code.ts';

/** A row in a slab, in addition to its numbers: residual and scale of the code, the id of the chunk. */
const ROW_IN_SLAB = 24;
/** A row outside of the slabs: 8 for its attributes; id and slot of the lookup, whose tables double when they are full, so 1.5 times 24 on average. */
const ROW_OUTSIDE = 8 + 36;
/** Scratch area of the first slab. Slabs grow by a sixteenth more than they need, on average half of that is used. */
const SCRATCH = 69_632;
const GROWTH = 1 + 1 / 32;
/** A row in the file, in addition to its numbers: id of the chunk, number of its attributes, and its share of frames and attributes. */
const ROW_IN_FILE = 20 + 40;

/**
 * With n vectors of d dimensions (w: d rounded up to 32): memory = 69,632 + n · (1.03 · (5w + 24) + 44), because each row is stored as float32 and as
 * codes of one byte; disk = n · (4d + 60). Rows of replaced chunks come on top until the next compaction.
 */
export const bytesFor = (vectors: number, dimensions: number): IndexBytes => ({
  memory: vectors === 0 ? 0 : Math.round(SCRATCH + vectors * (GROWTH * (5 * paddedWidth(dimensions) + ROW_IN_SLAB) + ROW_OUTSIDE)),
  disk: vectors * (4 * dimensions + ROW_IN_FILE),
});
