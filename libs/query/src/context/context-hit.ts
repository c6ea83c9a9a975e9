import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';

/** The fields of a search hit that context building needs. */
export type ContextHit = Readonly<{
  chunkId: ChunkId;
  documentId: DocumentId;
  title: string;
  /** 0-based index among the `of` chunks of its document. */
  index: number;
  of: number;
  text: string;
  contextPrefix: string;
  /** From 0 to 1, comparable between searches. */
  relevance: number;
}>;

/** In UTF-16 units. */
const MAX_TITLE = 120;

/** The title on one line and without square brackets, so that a document cannot forge another label. */
const plainTitle = (title: string): string => {
  const plain = title
    .slice(0, 4 * MAX_TITLE)
    .replace(/[[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= MAX_TITLE ? plain : `${plain.slice(0, MAX_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** `[Doc Handbook, Chunk 2 of 9]`, 1-based. */
export const citationLabel = ({ title, index, of }: Pick<ContextHit, 'title' | 'index' | 'of'>): string =>
  `[Doc ${plainTitle(title) || 'untitled'}, Chunk ${index + 1} of ${of}]`;
