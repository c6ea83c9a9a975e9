import { openText } from '@palimpsest/contracts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';

export type SampledText = Readonly<{ chunkId: ChunkId; documentId: DocumentId; text: ChunkText }>;

const PAGE = 100;

/** The texts of chunks, in the order of `ids`. Leaves out chunks that are no longer visible. */
export const textsOf = async (
  catalog: Pick<CatalogReader, 'chunks'>,
  scope: PermittedScope,
  cipher: ScopeCipher,
  ids: readonly ChunkId[],
): Promise<readonly SampledText[]> => {
  const found = new Map<ChunkId, SampledText>();
  for (let from = 0; from < ids.length; from += PAGE)
    for (const { chunkId, documentId, sealedText } of await catalog.chunks([scope], ids.slice(from, from + PAGE)))
      found.set(chunkId, { chunkId, documentId, text: openText(cipher, chunkId, sealedText) });
  return ids.flatMap((id) => found.get(id) ?? []);
};
