import type { RetrievalRecordData } from '@palimpsest/knowledge/events';

/** How a query was rewritten, as its record says it. */
export type RecordedRewriting = NonNullable<RetrievalRecordData['rewriting']>;

/** `texts`: those of the chat model; none if it was skipped. */
export type Rewriting = RecordedRewriting & Readonly<{ texts: readonly string[] }>;
