import { authorise, documentId, secondLook, vectorScope } from '@palimpsest/knowledge';
import type { Access, DocumentId, DomainEventType, Position, RecordedEvent, StreamName } from '@palimpsest/knowledge';

/** What the events of one batch tell of a document. */
export type DocumentNews = Readonly<{
  documentId: DocumentId;
  stream: StreamName;
  /** Of the last of them. */
  position: Position;
  at: string;
  deleted: boolean;
  /** Chunks that are embedded, and of how many, when that is what it came to last. */
  progress?: Readonly<{ chunks: number; of: number }>;
}>;

const TOLD: ReadonlySet<string> = new Set<DomainEventType>([
  'DocumentSubmitted', 'DocumentProcessingStarted', 'KnowledgeChunkIndexed', 'DocumentIndexed', 'DocumentFailed', 'DocumentDeferred', 'DocumentDeleted',
]);

/** One entry for each document that the caller may read and that changed, by the position of its last event. */
export const documentNews = (access: Access, events: readonly RecordedEvent[]): readonly DocumentNews[] => {
  const news = new Map<DocumentId, DocumentNews>();
  for (const event of events) {
    const one = TOLD.has(event.type) && isReadable(access, event) ? newsOf(event) : undefined;
    if (!one) continue;
    secondLook(access, { scope: vectorScope(event.metadata['scope']) });
    // Anew, so that it comes behind those that changed before.
    news.delete(one.documentId);
    news.set(one.documentId, one);
  }
  return [...news.values()];
};

/** Whether the caller may read the scope that the event is stored in. */
export const isReadable = (access: Access, { metadata }: RecordedEvent): boolean => {
  if (metadata['tenant'] !== access.tenant) return false;
  try {
    return authorise(access, [vectorScope(metadata['scope'])]).length > 0;
  } catch {
    return false;
  }
};

const newsOf = ({ type, data, stream, position, recordedAt }: RecordedEvent): DocumentNews | undefined => {
  const { documentId: id, index, of } = data;
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id)) return undefined;
  const progress = type === 'KnowledgeChunkIndexed' && typeof index === 'number' && typeof of === 'number' ? { progress: { chunks: index + 1, of } } : {};
  return { documentId: documentId(id), stream, position, at: recordedAt, deleted: type === 'DocumentDeleted', ...progress };
};
