// The scratch area before the blocks of a slab; ../src/slab.ts uses the same addresses.

/** 1000 entries of 24 bytes, and space for one more. */
export const HEAP: usize = 1024;
/** 4096 x f32. */
export const QUERY: usize = 32768;
/** 4096 x i8. */
export const QUERY_CODE: usize = 49152;
/** 131,072 bits. */
export const MASK: usize = 53248;
/** 2048 of 8 bytes. */
export const CANDIDATES: usize = 69632;
export const MAX_CANDIDATES: u32 = 2048;
/** 4096 x f32: a row that is encoded or measured. The candidates of a scan have the same place: they are read before the next row comes. */
export const ROW: usize = 69632;
export const BLOCKS: usize = 86016;
