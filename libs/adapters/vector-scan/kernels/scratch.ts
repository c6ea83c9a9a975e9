// The scratch area before the blocks of a slab; ../src/slab.ts uses the same addresses.

/** 1000 entries of 24 bytes, and space for one more. */
export const HEAP: usize = 1024;
/** 4096 x f32. */
export const QUERY: usize = 32768;
/** 4096 x i8. */
export const QUERY_CODE: usize = 49152;
/** 131,072 bits. */
export const MASK: usize = 53248;
export const BLOCKS: usize = 69632;
