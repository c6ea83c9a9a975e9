import { domainCodec } from '@palimpsest/contracts';
import type { TimelineEntry } from '@palimpsest/contracts/http';
import type { DocumentDeleted, DocumentFailed, DomainEvent, DomainEventType, Fact } from '@palimpsest/knowledge/events';
import type { RecordedEvent, ScopeCipher } from '@palimpsest/knowledge/ports';
import type { DocumentPast } from './document-past.ts';
import type { ScopeHistory } from './scope-history.ts';

/** The types of which entries are made. */
export const TIMELINE_EVENTS = [
  'DocumentIndexed',
  'DocumentFailed',
  'DocumentDeleted',
  'KnowledgeBaseCreated',
  'KnowledgeBaseConfigured',
  'KnowledgeBasePaused',
  'KnowledgeBaseResumed',
  'KnowledgeBaseArchived',
  'KnowledgeBaseDeletionRequested',
  'KnowledgeBaseDeleted',
  'GenerationStarted',
  'GenerationActivated',
  'GenerationRetired',
] as const satisfies readonly DomainEventType[];

export type Past = Readonly<{ documents: DocumentPast; scope: ScopeHistory }>;

/** Undefined for an event that changed nothing of what is listed. @throws UnreadableEvent, Corrupt */
export const toTimelineEntry = async (recorded: RecordedEvent, cipher: ScopeCipher, past: Past): Promise<TimelineEntry | undefined> => {
  const fact = domainCodec.decode(recorded, cipher);
  const { event, revision } = fact;
  switch (event.type) {
    case 'DocumentIndexed': {
      const change = await past.documents.changeOf({ ...fact, event });
      if (change === 'repeated') return undefined;
      const { documentId, knowledgeBase, sourceId, title, version } = event.data;
      return { ...change, ...momentOf(fact), documentId, knowledgeBase, source: sourceId, title, version };
    }
    case 'DocumentFailed': {
      const { reason, detail } = event.data;
      return { kind: 'failed', ...(await documentOf({ ...fact, event }, cipher, past)), reason, detail };
    }
    case 'DocumentDeleted': {
      const removed = event.data.chunks.length;
      return { kind: 'left', ...(await documentOf({ ...fact, event }, cipher, past)), chunks: { added: 0, removed, kept: 0 } };
    }
    case 'KnowledgeBaseCreated':
    case 'KnowledgeBaseConfigured':
      return {
        kind: 'knowledge-base',
        ...momentOf(fact),
        knowledgeBase: event.data.id,
        change: event.type === 'KnowledgeBaseCreated' ? 'created' : 'configured',
        name: event.data.name,
      };
    case 'KnowledgeBasePaused':
      return { kind: 'knowledge-base', ...momentOf(fact), knowledgeBase: event.data.id, change: 'paused' };
    case 'KnowledgeBaseResumed':
      return { kind: 'knowledge-base', ...momentOf(fact), knowledgeBase: event.data.id, change: 'resumed' };
    case 'KnowledgeBaseArchived':
      return { kind: 'knowledge-base', ...momentOf(fact), knowledgeBase: event.data.id, change: 'archived' };
    case 'KnowledgeBaseDeletionRequested':
      return { kind: 'knowledge-base', ...momentOf(fact), knowledgeBase: event.data.id, change: 'deleting' };
    case 'KnowledgeBaseDeleted':
      return { kind: 'knowledge-base', ...momentOf(fact), knowledgeBase: event.data.id, change: 'deleted' };
    default:
      return past.scope.entryAt(revision);
  }
};

export const momentOf = ({ position, recordedAt }: Pick<RecordedEvent, 'position' | 'recordedAt'>) => ({
  position: String(position),
  at: recordedAt,
});

const documentOf = async (fact: Fact<DocumentFailed | DocumentDeleted>, cipher: ScopeCipher, past: Past) => {
  const { knowledgeBase, sourceId, title } = await past.documents.descriptionAt(fact as Fact<DomainEvent>, cipher);
  const { documentId, version } = fact.event.data;
  return { ...momentOf(fact), documentId, knowledgeBase, source: sourceId, title, version };
};
