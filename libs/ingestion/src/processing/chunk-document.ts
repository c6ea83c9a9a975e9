import { runCooperatively, SYSTEM, type System } from '@palimpsest/foundation';
import type { ChunkPlace, ChunkText } from '@palimpsest/knowledge/events';
import type { ParsedDocument, ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ChunkId, Digest, DocumentId } from '@palimpsest/knowledge/values';
import type { Chunker, ChunkDraft } from '../chunking/chunk-draft.ts';
import { chunkIdOf, contentHashOf } from '../identities.ts';

/** A chunk of a document with its id. */
export type IdentifiedChunk = Readonly<{
  chunkId: ChunkId;
  contentHash: Digest;
  index: number;
  of: number;
  place: ChunkPlace;
  content: ChunkText;
  symbol?: string;
}>;

/** Equal chunks of a document get different ids by their order. Runs cooperatively, so that a large document does not block the process. */
export const chunkDocument = async (
  documentId: DocumentId,
  document: ParsedDocument,
  chunker: Chunker,
  cipher: ScopeCipher,
  system: System = SYSTEM,
): Promise<readonly IdentifiedChunk[]> =>
  runCooperatively(identified(documentId, cipher, await runCooperatively(chunker.steps(document), system)), system);

function* identified(
  documentId: DocumentId,
  cipher: ScopeCipher,
  drafts: readonly ChunkDraft[],
): Generator<undefined, readonly IdentifiedChunk[]> {
  const occurrences = new Map<Digest, number>();
  const chunks: IdentifiedChunk[] = [];
  for (const draft of drafts) {
    const contentHash = contentHashOf(cipher, draft.contextPrefix, draft.text);
    const occurrence = occurrences.get(contentHash) ?? 0;
    occurrences.set(contentHash, occurrence + 1);
    const { index, of, text, contextPrefix, headings, symbol } = draft;
    chunks.push({
      chunkId: chunkIdOf(documentId, contentHash, occurrence),
      contentHash,
      index,
      of,
      place: placeOf(draft),
      content: { text, contextPrefix, headings },
      ...(symbol === undefined ? {} : { symbol }),
    });
    yield;
  }
  return chunks;
}

const placeOf = ({ start, end, lines, page }: ChunkDraft): ChunkPlace => ({
  start,
  end,
  fromLine: lines.from,
  toLine: lines.to,
  ...(page === undefined ? {} : { page }),
});
