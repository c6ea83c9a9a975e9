export { anyText } from './any-text.ts';
export { describeBlobStore, type BlobStoreUnderTest } from './blob-store-kit.ts';
export { describeSigner, type SignersUnderTest } from './signer-kit.ts';
export { describeScopeKeys, type ScopeKeysUnderTest } from './scope-keys-kit.ts';
export { aTenantsView, describeEmbeddingProvider, type EmbeddingProviderUnderTest } from './embedding-provider-kit.ts';
export {
  aFakeEmbeddingProvider,
  aRegisteredModel,
  type FakeEmbeddingCall,
  type FakeEmbeddingOptions,
  type FakeEmbeddingProvider,
} from './fake-embeddings.ts';
export { describeEventLog } from './event-log-kit.ts';
export type { EventLogUnderTest } from './event-log-fixture.ts';
export { describeVectorIndexAdoption } from './vector-index-store-promises.ts';
export { describeLexicalIndexAdoption } from './lexical-index-store-promises.ts';
export { describeVectorIndex } from './vector-index-kit.ts';
export { describeVectorIndexFiles, type OpenVectorIndexFolder } from './vector-index-files-kit.ts';
export type { VectorIndexUnderTest } from './vector-index-fixture.ts';
export { describeMessageBus } from './message-bus-kit.ts';
export { note, type MessageBusUnderTest } from './message-bus-under-test.ts';
export { MessageRecorder, gate, untilAborted } from './message-recorder.ts';
export { openingInFolder } from './opening-in-folder.ts';
export { describeLexicalIndex } from './lexical-index-kit.ts';
export { describeLexicalIndexFiles, type OpenLexicalIndexFolder } from './lexical-index-files-kit.ts';
export type { LexicalIndexUnderTest } from './lexical-index-fixture.ts';
export { describeDocumentParser, type DocumentParserCaps } from './document-parser-kit.ts';
export { aJournal, TEST_KEYS } from './in-memory/a-journal.ts';
export { InMemoryEventLog } from './in-memory/in-memory-event-log.ts';
export { InMemoryVectorIndex, vectorDigestInMemory } from './in-memory/in-memory-vector-index.ts';
export { InMemoryLexicalIndex, lexicalDigestInMemory } from './in-memory/in-memory-lexical-index.ts';
export { InMemoryCatalog } from './in-memory/in-memory-catalog.ts';
export { inMemorySigner } from './in-memory/in-memory-signer.ts';
export { InMemoryScopeKeys } from './in-memory/in-memory-scope-keys.ts';
export { TRANSPARENT_KEYS } from './in-memory/transparent-keys.ts';
export { InMemoryCheckpoints } from './in-memory/in-memory-checkpoints.ts';
export { InMemoryBlobStore } from './in-memory/in-memory-blob-store.ts';
export { Crash, Faults } from './in-memory/faults.ts';
export { describeCatalog, type CatalogUnderTest } from './catalog-kit.ts';
export { describeCheckpoints, type CheckpointsUnderTest } from './checkpoints-kit.ts';
export { ServerProcess } from './server-process.ts';
export { eventStoreCluster, startEventStoreCluster, type ClusterTimes, type EventStoreCluster } from './eventstore-cluster.ts';
export { describeSharedVectors, type SharedVectorsUnderTest } from './shared-vectors-kit.ts';
export { InMemorySharedVectors } from './in-memory/in-memory-shared-vectors.ts';
export { InMemorySharedWords } from './in-memory/in-memory-shared-words.ts';
export { describeSharedWords } from './shared-words-kit.ts';
export type { LexicalStatistics } from './lexical-index-statistics-promises.ts';
export { describePartitionLeases, describeSingleProcessLeases } from './partition-leases-kit.ts';
export type { PartitionLeasesUnderTest, SingleProcessUnderTest } from './partition-leases-under-test.ts';
export { InMemoryPartitionLeases } from './in-memory/in-memory-partition-leases.ts';
export { describeRateBuckets, type RateBucketsUnderTest } from './rate-buckets-kit.ts';
export { eventually } from './eventually.ts';
export { describeTokenCounter } from './token-counter-kit.ts';
export { wordCounter } from './word-counter.ts';
export { describeQuotaPolicy, describeUnlimitedQuotaPolicy } from './quota-policy-kit.ts';
export type { QuotaPolicyUnderTest, QuotaStores } from './quota-policy-fixture.ts';
export { describeReadModels } from './read-models-kit.ts';
export type { ReadModelsUnderTest } from './read-models-under-test.ts';
export { describeEmbeddingProviders, type EmbeddingProvidersUnderTest } from './embedding-providers-kit.ts';
export { describePastViews, type PastViewsUnderTest } from './past-views-kit.ts';
export { describeGoldenQueries, type GoldenQueriesUnderTest } from './golden-queries-kit.ts';
export { describeModelRegistry, type ModelRegistryUnderTest } from './model-registry-kit.ts';
export { InMemoryModelRegistry } from './in-memory/in-memory-model-registry.ts';
export { HubStandIn, type HubRequest, type StandInRepository } from './hub-stand-in.ts';
export { describeChatModel, type ChatModelUnderTest } from './chat-model-kit.ts';
export { aFakeChatModel, type FakeChatModel } from './fake-chat-model.ts';
export { describeReranker, type RerankerUnderTest } from './reranker-kit.ts';
export { aFakeReranker, type FakeRerankCall, type FakeReranker } from './fake-reranker.ts';
