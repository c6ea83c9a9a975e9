import { authorise, assertVisible } from '@palimpsest/knowledge/access';
import { readBy } from '@palimpsest/knowledge/events';
import { documentId, vectorScope } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { DocumentId, Position } from '@palimpsest/knowledge/values';

/** The change of a document in one batch of events. */
export type DocumentNews = Readonly<{
  documentId: DocumentId;
  stream: StreamName;
  /** Position of the last event. */
  position: Position;
  at: string;
  deleted: boolean;
  /** Embedded chunks and the number of chunks, if the last event is about a chunk. */
  progress?: Readonly<{ chunks: number; of: number }>;
}>;

const CHANGE_THE_LIST: ReadonlySet<string> = new Set(readBy('document-list'));

/** One entry for each changed document that the caller may read, in the order of their last events. */
export const documentNews = (access: Access, events: readonly RecordedEvent[]): readonly DocumentNews[] => {
  const news = new Map<DocumentId, DocumentNews>();
  for (const event of events) {
    const one = CHANGE_THE_LIST.has(event.type) && isReadable(access, event) ? newsOf(event) : undefined;
    if (!one) continue;
    assertVisible(access, { scope: vectorScope(event.metadata['scope']) });
    // Delete first: a map keeps the position of an existing key.
    news.delete(one.documentId);
    news.set(one.documentId, one);
  }
  return [...news.values()];
};

/** Whether the caller may read the scope of the event. */
export const isReadable = (access: Access, { metadata }: RecordedEvent): boolean => {
  if (metadata['tenant'] !== access.tenant) return false;
  try {
    return authorise(access, [vectorScope(metadata['scope'])]).length > 0;
  } catch {
    return false;
  }
};

const newsOf = ({ type, data, stream, position, recordedAt }: RecordedEvent): DocumentNews | undefined => {
  const { documentId: id, index, of, keptFrom } = data;
  // Only its place changed.
  if (keptFrom !== undefined) return undefined;
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id)) return undefined;
  const progress =
    type === 'KnowledgeChunkIndexed' && typeof index === 'number' && typeof of === 'number' ? { progress: { chunks: index + 1, of } } : {};
  return { documentId: documentId(id), stream, position, at: recordedAt, deleted: type === 'DocumentDeleted', ...progress };
};
