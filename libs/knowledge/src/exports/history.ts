export { historyRemoval, removedUpTo, type HistoryRemoval, type HistoryRemovalCommand } from '../deciders/history-removal.ts';
export { DocumentPast, type RemovableHistory } from '../deciders/document-past.ts';
export type { KeptEvent } from '../deciders/document.ts';
export type { DocumentHistoryRemoved, HistoryEvent, HistoryRemovalCompleted, HistoryRemovalStarted } from '../events/history-events.ts';
export { historyStream } from '../streams.ts';
