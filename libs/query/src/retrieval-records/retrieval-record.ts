import type { KnowledgeRetrievalMiss, KnowledgeRetrieved, RetrievalEvent, RetrievalRecordData } from '@palimpsest/knowledge/events';

/** A message on the bus about one retrieval. `miss`: no result reached this relevance. */
export type RetrievalRecord = KnowledgeRetrieved & Readonly<{ miss?: Readonly<{ floor: number }> }>;

/** The request is stored once, with `KnowledgeRetrieved`. */
const withoutRequest = ({ sealedRequest: _, ...data }: RetrievalRecordData): RetrievalRecordData => data;

/** The events of one retrieval. Until version 0.1 a miss was a separate message, and the only event of its retrieval. */
export const eventsOf = (record: RetrievalRecord | KnowledgeRetrievalMiss): readonly RetrievalEvent[] => {
  if (record.type === 'KnowledgeRetrievalMiss') return [record];
  const { type, data, miss } = record;
  return [
    { type, data },
    ...(miss === undefined ? [] : [{ type: 'KnowledgeRetrievalMiss', data: { ...withoutRequest(data), floor: miss.floor } } as const]),
  ];
};
