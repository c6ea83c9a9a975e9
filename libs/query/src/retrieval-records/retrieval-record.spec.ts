import type { KnowledgeRetrievalMiss, KnowledgeRetrieved } from '@palimpsest/knowledge/events';
import { eventsOf } from './retrieval-record.ts';

const data = { traceId: 't' } as KnowledgeRetrieved['data'];

describe('The events of a retrieval', () => {
  it('are KnowledgeRetrieved alone for a search with results', () =>
    expect(eventsOf({ type: 'KnowledgeRetrieved', data })).toEqual([{ type: 'KnowledgeRetrieved', data }]));

  it('are both types for a miss', () =>
    expect(eventsOf({ type: 'KnowledgeRetrieved', data, miss: { floor: 0.3 } })).toEqual([
      { type: 'KnowledgeRetrieved', data },
      { type: 'KnowledgeRetrievalMiss', data: { ...data, floor: 0.3 } },
    ]));

  it('are the miss alone when an earlier version published it', () => {
    const old = { type: 'KnowledgeRetrievalMiss', data: { ...data, floor: 0.3 } } as KnowledgeRetrievalMiss;
    expect(eventsOf(old)).toEqual([old]);
  });
});
