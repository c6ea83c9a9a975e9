/**
 * Relevance, 0 to 1, that at least one result of a retrieval must reach. Of queries whose answer is there, few stay below it
 * (docs/explanation/quality.md).
 */
export const MISS_FLOOR = 0.05;

/** Whether nothing relevant was found, regardless of the number of results requested. */
export const isMiss = (hits: readonly Readonly<{ relevance: number }>[], floor = MISS_FLOOR): boolean =>
  !hits.some(({ relevance }) => relevance >= floor);
