import type { KnowledgeRetrievalMiss, KnowledgeRetrieved, RetrievalEvent } from '@palimpsest/knowledge';

/** One retrieval on its way over the bus, as one message. `miss`: nothing that was found reached this relevance. */
export type RetrievalRecord = KnowledgeRetrieved & Readonly<{ miss?: Readonly<{ floor: number }> }>;

/** The events of one retrieval. Until version 0.1 a miss was a message of its own, and there was no other event of that retrieval. */
export const eventsOf = (record: RetrievalRecord | KnowledgeRetrievalMiss): readonly RetrievalEvent[] => {
  if (record.type === 'KnowledgeRetrievalMiss') return [record];
  const { type, data, miss } = record;
  return [{ type, data }, ...(miss === undefined ? [] : [{ type: 'KnowledgeRetrievalMiss', data: { ...data, floor: miss.floor } } as const])];
};
