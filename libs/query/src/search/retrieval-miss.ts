/** Relevance, 0 to 1, that at least one result of a retrieval must reach. */
export const MISS_FLOOR = 0.3;

/** Whether nothing relevant was found, regardless of the number of results requested. */
export const isMiss = (hits: readonly Readonly<{ relevance: number }>[], floor = MISS_FLOOR): boolean =>
  !hits.some(({ relevance }) => relevance >= floor);
