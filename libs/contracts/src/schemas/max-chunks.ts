/** Maximum number of chunks in a document: `DocumentIndexed` lists all of them and must fit into one append. */
export const MAX_CHUNKS = 5_000;
