import { fromBase64, openRequest, openText, openVectors, type SealedVectors } from '@palimpsest/contracts';
import { authorise, hasRole } from '@palimpsest/knowledge/access';
import { projection } from '@palimpsest/knowledge/events';
import type { ScopeErasureCompleted, SubjectErasureCompleted, TenantErasureCompleted } from '@palimpsest/knowledge/erasure';
import type { Access } from '@palimpsest/knowledge/access';
import type {
  ApiKeyIssued,
  DomainEvent,
  Fact,
  KnowledgeChunkIndexed,
  KnowledgeChunkReembedded,
  RetrievalEvent,
  SealedRequest,
} from '@palimpsest/knowledge/events';
import type { SwapPlanned } from '@palimpsest/knowledge/plans';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';

export type OpenedData = Readonly<Record<string, unknown>>;

type Context = Readonly<{ access: Access; cipher: ScopeCipher | undefined }>;
type Opened<E extends DomainEvent = DomainEvent> = (fact: Fact<E>, context: Context) => OpenedData;

const asItIs: Opened = ({ event }) => event.data;

const chunkIndexed: Opened<KnowledgeChunkIndexed> = ({ event }, { cipher }) => {
  const { sealedText, sealedVector, sealedFurtherVectors, ...data } = event.data;
  const text = cipher && openText(cipher, data.chunkId, fromBase64(sealedText));
  return { ...data, text, ...vectorsIn(cipher, event.data) };
};

const chunkReembedded: Opened<KnowledgeChunkReembedded> = ({ event }, { cipher }) => {
  const { sealedVector, sealedFurtherVectors, ...data } = event.data;
  return { ...data, ...vectorsIn(cipher, event.data) };
};

const keyIssued: Opened<ApiKeyIssued> = ({ event }) => {
  const { hash: _hash, ...data } = event.data;
  return data;
};

/** Prices and limits of models are for operators; the plan itself shows its cost to administrators. */
const planned: Opened<SwapPlanned> = ({ event }, { access }) => {
  const { limits: _limits, pricePerMillionTokens, cost, ...data } = event.data;
  const amounts = { ...(pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens }), ...(cost === undefined ? {} : { cost }) };
  return { ...data, ...(hasRole(access, 'admin') ? amounts : {}) };
};

/** The receipt has a route of its own. */
const completed: Opened<ScopeErasureCompleted | SubjectErasureCompleted | TenantErasureCompleted> = ({
  event: {
    data: { receipt: _, ...data },
  },
}) => data;

/** The search may have named scopes that this caller may not read. Times are for operators only, as in the search response. */
const retrieved: Opened<RetrievalEvent> = ({ event }, { access, cipher }) => {
  const { stages, latencyMs, sealedRequest, ...data } = event.data;
  const times = hasRole(access, 'operator') ? { stages, latencyMs } : {};
  const sealed = cipher && sealedRequest !== undefined ? sealedPart(openRequest(cipher, data.traceId, sealedRequest)) : {};
  return { ...data, ...sealed, ...times, requestedScopes: authorise(access, data.requestedScopes).map(({ scope }) => scope) };
};

/** What is shown of each event: a new type is not shown until it is listed here. */
export const shownEvents = projection<'event-views', Context, OpenedData>('event-views', {
  KnowledgeChunkIndexed: chunkIndexed,
  KnowledgeChunkReembedded: chunkReembedded,
  DocumentSubmitted: asItIs,
  DocumentProcessingStarted: asItIs,
  KnowledgeChunkFailed: asItIs,
  KnowledgeChunkReembedFailed: asItIs,
  DocumentIndexed: asItIs,
  DocumentSkipped: asItIs,
  DocumentFailed: asItIs,
  DocumentDeferred: asItIs,
  DocumentDeleted: asItIs,
  DocumentHistoryRemoved: asItIs,
  HistoryRemovalStarted: asItIs,
  HistoryRemovalCompleted: asItIs,
  KnowledgeBaseCreated: asItIs,
  KnowledgeBaseConfigured: asItIs,
  KnowledgeBaseArchived: asItIs,
  KnowledgeBasePaused: asItIs,
  KnowledgeBaseResumed: asItIs,
  KnowledgeBaseStrategyEvaluated: asItIs,
  KnowledgeBaseStrategySet: asItIs,
  KnowledgeBaseDeletionRequested: asItIs,
  KnowledgeBaseDeleted: asItIs,
  ScopeOpened: asItIs,
  SwapPlanned: planned,
  SwapPlanApproved: asItIs,
  GenerationStarted: asItIs,
  GenerationRangeEmbedded: asItIs,
  GenerationBuilt: asItIs,
  GenerationPaused: asItIs,
  GenerationResumed: asItIs,
  GenerationEvaluated: asItIs,
  CanaryStarted: asItIs,
  CanaryEnded: asItIs,
  GenerationActivated: asItIs,
  GenerationRetired: asItIs,
  ScopeHeld: asItIs,
  ScopeReleased: asItIs,
  ScopeErasureRequested: asItIs,
  ScopeErased: asItIs,
  ScopeErasureCompleted: completed,
  SubjectErasureRequested: asItIs,
  SubjectErased: asItIs,
  SubjectErasureCompleted: completed,
  TenantErasureRequested: asItIs,
  TenantErased: asItIs,
  TenantErasureCompleted: completed,
  KnowledgeRetrieved: retrieved,
  KnowledgeRetrievalMiss: retrieved,
  ApiKeyIssued: keyIssued,
  ApiKeyRevoked: asItIs,
  TenantLimitsSet: asItIs,
  GoldenQueriesStored: asItIs,
  GoldenSetImported: asItIs,
  GoldenSetRemoved: asItIs,
});

/** An event's data for a caller who may read it: texts unsealed, only the size of vectors, no hashes of keys. @throws Corrupt */
export const openedData = (access: Access, fact: Fact<DomainEvent>, cipher: ScopeCipher | undefined): OpenedData =>
  shownEvents.project(fact, { access, cipher }) ?? {};

/** The query's vectors only by their versions. */
const sealedPart = ({ vectors, ...request }: SealedRequest) => ({
  ...request,
  ...(vectors === undefined ? {} : { vectors: Object.keys(vectors) }),
});

/** `norm`: the Euclidean length, to six digits. `furtherVectors`: number of additional vectors, if the text needed more than one. */
const vectorsIn = (
  cipher: ScopeCipher | undefined,
  data: SealedVectors & Readonly<{ chunkId: ChunkId; embeddingVersion: EmbeddingVersion }>,
) => {
  if (!cipher) return { vector: undefined };
  const { vector, further = [] } = openVectors(cipher, data.chunkId, data.embeddingVersion, data);
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  return {
    vector: { dimensions: vector.length, norm: Number(Math.sqrt(squares).toPrecision(6)) },
    ...(further.length === 0 ? {} : { furtherVectors: further.length }),
  };
};
