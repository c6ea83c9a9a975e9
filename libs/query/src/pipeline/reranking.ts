import type { RetrievalRecordData } from '@palimpsest/knowledge/events';

/** The outcome of the reranking of a search, as its record says it. */
export type Reranking = NonNullable<RetrievalRecordData['reranking']>;
