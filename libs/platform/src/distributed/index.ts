export { startIngestionService, startQueryService, startReembeddingService } from './start-service.ts';
