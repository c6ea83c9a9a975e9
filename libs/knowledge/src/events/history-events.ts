import type { KnowledgeBaseId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

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
