export type { SearchAnswer } from './search/search-answer.ts';
export { SearchKnowledge, type SearchPorts } from './search/search-knowledge.ts';
export { searchRequest, type SearchRequest } from './search/search-request.ts';
export type { SearchHit } from './pipeline/search-hit.ts';
export { EventsModule } from './nest/events.module.ts';
export { QueryModule, type QuerySettings } from './nest/query.module.ts';
export { RetrievalRecordQueue } from './retrieval-records/retrieval-record-queue.ts';
