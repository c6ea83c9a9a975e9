/** Additions tried by following only the documentation, on a branch of their own that was thrown away, with every file that they touched. */
export const TRIALS = {};
