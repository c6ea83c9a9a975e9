import { inTurns } from '@palimpsest/contracts';
import type { ChunkId, ChunkPlace, ChunkText, DocumentId, ParsedDocument, Sha256 } from '@palimpsest/knowledge';
import type { Chunker, ChunkDraft } from '../chunking/chunk-draft.ts';
import { chunkIdOf, contentHashOf } from '../identities.ts';

/** A piece of a document with its identity. */
export type CutChunk = Readonly<{ chunkId: ChunkId; contentHash: Sha256; index: number; of: number; place: ChunkPlace; content: ChunkText; symbol?: string }>;

/** Equal pieces of one document are told apart by their order. Takes its time in turns: a large document holds up nobody. */
export const cutDocument = async (documentId: DocumentId, document: ParsedDocument, chunker: Chunker): Promise<readonly CutChunk[]> =>
  inTurns(identified(documentId, await inTurns(chunker.steps(document))));

function* identified(documentId: DocumentId, drafts: readonly ChunkDraft[]): Generator<undefined, readonly CutChunk[]> {
  const occurrences = new Map<Sha256, number>();
  const chunks: CutChunk[] = [];
  for (const draft of drafts) {
    const contentHash = contentHashOf(draft.contextPrefix, draft.text);
    const occurrence = occurrences.get(contentHash) ?? 0;
    occurrences.set(contentHash, occurrence + 1);
    const { index, of, text, contextPrefix, headings, symbol } = draft;
    chunks.push({
      chunkId: chunkIdOf(documentId, contentHash, occurrence), contentHash, index, of,
      place: placeOf(draft),
      content: { text, contextPrefix, headings },
      ...(symbol === undefined ? {} : { symbol }),
    });
    yield;
  }
  return chunks;
}

const placeOf = ({ start, end, lines, page }: ChunkDraft): ChunkPlace => ({
  start, end, fromLine: lines.from, toLine: lines.to,
  ...(page === undefined ? {} : { page }),
});
