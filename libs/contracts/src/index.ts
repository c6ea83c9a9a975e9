export { EventCodec, UnreadableEvent, type Upcaster, type WireEvent, type WireEvents } from './event-codec.ts';
export { domainCodec } from './domain-codec.ts';
export { decodedVectors, encodedVectors, openRequest, queryDigest, sealRequest, termsDigest } from './sealed-request.ts';
export { recipeSchema } from './events/recipe-schema.ts';
export { fingerprintOf, lowestSimilarity, similarityTo } from './model-fingerprint.ts';
export { modelSource, type ModelSource } from './model-source.ts';
export { documentIdOf } from './document-ids.ts';
export { Journal, type Loaded, type Executed, type FactBatch } from './journal.ts';
export { positionAt } from './position-at.ts';
export { removeDocumentHistory, type RemovedHistory } from './document-history.ts';
export { earliestAnswered, refuseRemovedHistory } from './removed-history.ts';
export { decodePositions, encodePositions } from './encoded-positions.ts';
export { spanOf, type TimeSpan } from './time-span.ts';
export { firstRevision } from './first-revision.ts';
export { PastRetrievals, type RetrievalWindow } from './past-retrievals.ts';
export { RecordedRequests } from './recorded-requests.ts';
export {
  sealText,
  openText,
  sealVector,
  openVector,
  sealFurtherVectors,
  openFurtherVectors,
  sealBlob,
  openBlob,
  toBase64,
  fromBase64,
  searchText,
} from './sealing.ts';
export { sealVectors, openVectors, type ChunkVectors, type SealedVectors } from './sealed-vectors.ts';
export { InMemoryProjection } from './subscription/in-memory-projection.ts';
export { eachBatch, Subscription, type LogBatch, type Subscriber } from './subscription/subscription.ts';
export { untilReached } from './subscription/until-reached.ts';
export { appendable } from './appendable.ts';
export { embedPassages, embedQuery, maxVectors, type EmbeddedPassage } from './embed-passages.ts';
export { TOPICS, GROUPS, processDocument, reembed, requestReembedding, type ProcessDocument, type Reembed } from './topics.ts';
export { canonicalAttributes, lexicalDigest, lexicalDigestOf, vectorDigest } from './index-digests.ts';
export { cacheKey, tenantSecret, tenantTag } from './embedding-cache-key.ts';
export { refuseBlank, requireFit } from './embedding-requirements.ts';
export { afterFailure, consumeSettings, type ConsumeSettings, type Outcome, type RetryPolicy } from './retry-policy.ts';
export { isOfServer, whileServersAreAway } from './while-servers-are-away.ts';
export { parseInput, parsePath } from './parse-input.ts';
export { limitOverrides, tierLimits, tierName, tiersFile } from './schemas/limit-schemas.ts';
export { goldenLine, type GoldenLine, type GoldenLineJudgement } from './schemas/golden-lines.ts';
export { modelDefinition, modelsFile, OPERATOR_KEY_VARIABLE } from './schemas/model-schemas.ts';
export { wire } from './schemas/values.ts';
export { chunkingSettings } from './schemas/chunking-schema.ts';
export { MAX_CHUNKS } from './schemas/max-chunks.ts';
export {
  exportHead,
  PIECE_BYTES,
  SEALED_FORMAT,
  sealedLine,
  TRANSFER_FORMAT,
  transferRecord,
  type ChunkRecord,
  type DocumentRecord,
  type ExportEnd,
  type ExportHead,
  type SealedHead,
  type SealedLine,
  type TransferRecord,
} from './schemas/transfer-records.ts';
export { linesOf } from './lines-of.ts';
export { TermsOfWords, type WordTerms } from './terms-of-words.ts';
export { CHUNK_WORDS, chunkIdAt, writeChunkWords } from './chunk-words.ts';
export { isSelectedBy, listedChunks, selectionIds } from './chunk-selections.ts';
export { openPartitionsIn, partitionFolder, partitionOfFile, partitionsIn, type IndexName } from './partition-folders.ts';
export { cipherIfAny, cipherOf, sealedFor, sealedForRecord, sealing, textIfAny } from './sealed-for.ts';
export { fileSeal, indexCipher, SEALED_EXTRA, type FileSeal } from './file-seal.ts';
export { FlushManifest, type FlushedPartition } from './flush-manifest.ts';
