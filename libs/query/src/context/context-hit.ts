import type { ChunkId, DocumentId } from '@palimpsest/knowledge';

/** What context building needs of a hit; a search hit has it all. Best first. */
export type ContextHit = Readonly<{
  chunkId: ChunkId;
  documentId: DocumentId;
  title: string;
  /** 0-based place among the `of` chunks of its document. */
  index: number;
  of: number;
  text: string;
  contextPrefix: string;
  /** 0 to 1, comparable between searches. */
  relevance: number;
}>;

/** UTF-16 units. */
const LONGEST_TITLE = 120;

/** A title on one line and without square brackets, so that no document can forge another's label. */
const plainTitle = (title: string): string => {
  const plain = title
    .slice(0, 4 * LONGEST_TITLE)
    .replace(/[[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= LONGEST_TITLE ? plain : `${plain.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** `[Doc Handbook, Chunk 2 of 9]`, 1-based. */
export const citationLabel = ({ title, index, of }: Pick<ContextHit, 'title' | 'index' | 'of'>): string =>
  `[Doc ${plainTitle(title) || 'untitled'}, Chunk ${index + 1} of ${of}]`;
