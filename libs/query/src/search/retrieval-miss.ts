/** Relevance, 0 to 1, that at least one result of a retrieval must reach. */
export const MISS_FLOOR = 0.3;

/** Whether nothing relevant was found. How many results were asked for does not matter. */
export const isMiss = (hits: readonly Readonly<{ relevance: number }>[], floor = MISS_FLOOR): boolean => !hits.some(({ relevance }) => relevance >= floor);
