/** `DocumentIndexed` names every chunk, and must fit into one append. */
export const MAX_CHUNKS = 5_000;
