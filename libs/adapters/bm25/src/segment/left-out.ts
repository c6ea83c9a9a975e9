import { CHUNK_WORDS } from '@palimpsest/contracts';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import { setBit } from './bits.ts';
import { compareIds, type ChunkIds } from './chunk-ids.ts';

/** Sets the bits of the chunks that a selection leaves out. Both lists of ids are sorted, so that one pass is enough. */
export const setLeftOut = (bits: Uint8Array, ids: ChunkIds, selection: ChunkSelection): void => {
  const isOnly = 'only' in selection;
  const listed = isOnly ? selection.only : selection.except;
  const end = listed.length / CHUNK_WORDS;
  let at = 0;
  for (let chunk = 0; chunk < ids.length / CHUNK_WORDS; chunk++) {
    while (at < end && compareIds(listed, at, ids, chunk) < 0) at++;
    const isListed = at < end && compareIds(listed, at, ids, chunk) === 0;
    if (isListed !== isOnly) setBit(bits, chunk);
  }
};
