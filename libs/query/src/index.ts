export type { SearchAnswer } from './search/search-answer.ts';
export { SearchKnowledge, SearchKnowledgeHandler, type SearchPorts } from './search/search-knowledge.ts';
export { searchRequest, type SearchRequest } from './search/search-request.ts';
export type { SearchHit } from './pipeline/search-hit.ts';
export { events } from './nest/events-feature.ts';
export { query, type QueryPorts, type QuerySettings } from './nest/query-feature.ts';
export { RetrievalRecordQueue } from './retrieval-records/retrieval-record-queue.ts';
export type { BrowseEvents } from './events/browse-events.ts';
export { RetrieveContext } from './context/retrieve-context.ts';
