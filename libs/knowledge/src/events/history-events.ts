import type { ChunkId, DocumentId, KnowledgeBaseId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/**
 * The events of the stream with a lower revision than `before` are being removed from the log: they belong to versions that were replaced,
 * or to the time before a deletion, and are older than history is kept. `version`: the first one that is still there. `removedUpTo`:
 * position of the last event that is removed. `records`: how many are removed now. `positions`: theirs, and those of earlier removals of
 * the document, in the form of `encodePositions`. `kept`: the chunks whose contents were repeated, since versions that are still there have
 * them. `uploads`: files of removed versions, which are deleted.
 */
export type DocumentHistoryRemoved = Event<
  'DocumentHistoryRemoved',
  {
    documentId: DocumentId;
    version: number;
    before: number;
    removedUpTo: string;
    records: number;
    positions: string;
    kept: readonly ChunkId[];
    uploads: number;
    removedAt: string;
  }
>;

/**
 * `upTo`: what was replaced or deleted until then is removed from the log. `knowledgeBase`: only of its documents. `earliest`: the earliest
 * position at which searches of the scope still give what they gave then. Both are positions.
 */
type Removal = Readonly<{ scope: VectorScope; knowledgeBase?: KnowledgeBaseId; upTo: string; earliest: string }>;

/** From here on, earlier moments cannot be searched any more. `keepDays`: how much history stays, in days. */
export type HistoryRemovalStarted = Event<'HistoryRemovalStarted', Removal & { keepDays: number; startedAt: string }>;

/**
 * `documents`, `records`, `uploads`: whose history was removed, the events, and the files of earlier versions. `left`: documents that were
 * being processed, whose history is removed next time.
 */
export type HistoryRemovalCompleted = Event<
  'HistoryRemovalCompleted',
  Removal & { documents: number; records: number; uploads: number; left: number; completedAt: string }
>;

export type HistoryEvent = HistoryRemovalStarted | HistoryRemovalCompleted;

/** The projections that read each type. */
export const HISTORY_READERS = {
  HistoryRemovalStarted: ['event-views', 'history-removals'],
  HistoryRemovalCompleted: ['event-views', 'history-removals'],
} as const satisfies ReadersOf<HistoryEvent>;
