import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { CHUNK_WORDS, chunkIdAt, writeChunkWords } from './chunk-words.ts';

/** Ids as a selection lists them. */
export const selectionIds = (chunks: Iterable<ChunkId>): Uint32Array => {
  const sorted = [...new Set(chunks)].sort();
  const ids = new Uint32Array(CHUNK_WORDS * sorted.length);
  for (const [i, chunk] of sorted.entries()) writeChunkWords(ids, i, chunk);
  return ids;
};

/** The listed ids: of the selected chunks, or of those that are left out. */
export const listedChunks = (selection: ChunkSelection): readonly ChunkId[] => {
  const ids = 'only' in selection ? selection.only : selection.except;
  return Array.from({ length: ids.length / CHUNK_WORDS }, (_, at) => chunkIdAt(ids, at));
};

/** Returns for each chunk whether it is selected. */
export const isSelectedBy = (selection: ChunkSelection): ((chunk: ChunkId) => boolean) => {
  const listed = new Set(listedChunks(selection));
  const isOnly = 'only' in selection;
  return (chunk) => listed.has(chunk) === isOnly;
};
