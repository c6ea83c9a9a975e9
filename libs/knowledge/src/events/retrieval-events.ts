import type { ChunkId, DocumentId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Filter } from '../access/filter.ts';
import type { RequiredLabels } from '../access/required-labels.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import type { Origin } from '../values/labels.ts';
import type { Recipe } from '../values/recipe.ts';
import type { EmbeddingVersion, GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/** The program that answered, as far as results depend on it. `analyser`: version of the word analysis. */
export type RetrievalRuntime = Readonly<{ palimpsest: string; node: string; platform: string; analyser: string }>;

/**
 * The part of a request that says something about content, sealed in `sealedRequest`. The query is included only for tenants that opted
 * in (`recordQueries`). `vectors`: the query's vector for each embedding version, little-endian float32, Base64. `requiredLabels`:
 * those of the caller's key.
 */
export type SealedRequest = Readonly<{
  filter?: Filter;
  requiredLabels?: RequiredLabels;
  query?: string;
  /** Recorded only together with the query. */
  terms?: Terms;
  vectors?: Readonly<Record<EmbeddingVersion, string>>;
  /** Only of a search with `minRelevance`: the cosines of unrelated passages to the query. */
  backgrounds?: Readonly<Record<EmbeddingVersion, Readonly<{ count: number; mean: number; deviation: number }>>>;
  /** The texts of a chat model that were embedded together with the query; only with the query. */
  rewriting?: readonly string[];
}>;

/** Words that each hit contains or does not contain, and those that stand next to each other in it. */
type Terms = Readonly<{ required?: readonly string[]; excluded?: readonly string[]; phrases?: readonly string[] }>;

/** What a search does with its candidates after it has ranked them. Missing parts: nothing. */
type Arrangement = Readonly<{
  /** Near-identical passages count as one. */
  collapse?: boolean;
  /** The passages of a document stand next to each other, at most `perGroup` of them. */
  groupBy?: 'document';
  perGroup?: number;
  /** From 0 to 1: how much similarity to better hits counts against a hit. */
  diversity?: number;
  /** Each hit has passages around it: `neighbours` on each side, or those of its section. */
  expand?: 'neighbours' | 'section';
  neighbours?: number;
}>;

/**
 * How the vector of the query was rewritten. `by`: other wordings of the query (`queries`), or a passage that could answer it
 * (`hypothetical`). `skipped`: the model failed or took too long, so that the query was embedded alone; `reason` says why.
 */
type RetrievalRewriting = Readonly<{
  by: 'queries' | 'hypothetical';
  /** Version of the chat model and its instructions. */
  model: string;
  outcome: 'rewritten' | 'skipped';
  reason?: string;
}>;

/**
 * The outcome of the reranking of a search. `blended`: `candidates` results were ordered by their scores and, with `weight` (0 to 1), by those
 * of the reranker. `abstained`: its scores said nothing. `skipped`: it failed or took too long. In both cases `reason` says why, and the
 * order is that of the search.
 */
type RetrievalReranking = Readonly<{
  /** Version of the reranker. */
  reranker: string;
  outcome: 'blended' | 'abstained' | 'skipped';
  candidates: number;
  /** How many of them the reranker knew nothing of; missing: none. */
  unscored?: number;
  weight: number;
  reason?: string;
}>;

/**
 * Record of one retrieval: the complete request, and everything that its results depend on. It contains no clear query text. Times in
 * milliseconds. Fields that are marked "since 0.2" are missing in older records.
 */
export type RetrievalRecordData = Readonly<{
  traceId: string;
  /**
   * Keyed digest of the query's UTF-8 text, 64 hexadecimal digits: equal queries of equal scopes have equal digests. In older records,
   * without `keyScope`: its SHA-256.
   */
  queryHash: string;
  /** The permitted scope whose key digests the query and seals the request: the narrowest one. Since 0.2. */
  keyScope?: VectorScope;
  /** Sealed JSON of `SealedRequest`, Base64. Missing if there is nothing to seal. Since 0.2. */
  sealedRequest?: string;
  /** Length of the query in UTF-16 code units. */
  queryLength: number;
  strategy: string;
  fusion: string;
  topK: number;
  minScore?: number;
  minRelevance?: number;
  /** BCP 47 tag that the caller gave. */
  language?: string;
  /** Whether a filter, terms, knowledge bases or origins restricted the search. */
  filtered: boolean;
  /** Since 0.2, as are the next four. */
  knowledgeBases?: readonly KnowledgeBaseId[];
  origins?: readonly Origin[];
  /** Position that the caller asked to wait for, a decimal string. */
  atLeast?: string;
  snippetChars?: number;
  /** Keyed digest of the terms of the request, 64 hexadecimal digits. Missing if it had none. */
  termsHash?: string;
  /** Words that no searched scope knew were corrected. Missing: they were not. */
  spelling?: true;
  /** Missing if the hits were answered as they were ranked. */
  arrangement?: Arrangement;
  /** `candidates`: requested from each index. `missFloor`: relevance below which nothing counts as found; until 0.2, a cosine. */
  limits?: Readonly<{ candidates: number; missFloor: number }>;
  /** Since 0.2. */
  runtime?: RetrievalRuntime;
  requestedScopes: readonly VectorScope[];
  permittedScopes: readonly VectorScope[];
  /**
   * Since 0.2 with the recipe, and the weight of the vectors in the fusion, relative to 1 for words; 0 if the query has no vector for the
   * scope. The other optional fields are newer. `canary`: the caller belongs to the share that this generation serves before its cut-over. `failedCanary`: such
   * a generation could not answer, so the active one did.
   * `topStandard`: standard score of the best result by vectors among all chunks of the scope. `agreement`: share of the best ten results
   * by vectors that are also among the best ten by words.
   */
  generations: readonly Readonly<{
    scope: VectorScope;
    generation: GenerationId;
    embeddingVersion: EmbeddingVersion;
    recipe?: Recipe;
    denseWeight?: number;
    canary?: true;
    failedCanary?: GenerationId;
    topStandard?: number;
    agreement?: number;
  }>[];
  /** Number of candidates after fusion. */
  pool: number;
  /** Only of a search that asked for it. */
  rewriting?: RetrievalRewriting;
  /** Only of a search with a reranker. */
  reranking?: RetrievalReranking;
  topScore?: number;
  /** `note`: why the stage was skipped. Since 0.2. */
  stages: readonly Readonly<{ stage: string; ms: number; candidates: number; note?: string }>[];
  latencyMs: number;
  hits: readonly Readonly<{ chunkId: ChunkId; documentId: DocumentId; score: number }>[];
  /** Position of the read models during the retrieval, a decimal string. */
  position: string;
  retrievedAt: string;
}>;

/** Recorded for every retrieval. */
export type KnowledgeRetrieved = Event<'KnowledgeRetrieved', RetrievalRecordData>;
/**
 * Recorded in addition to `KnowledgeRetrieved` if no result reached `floor` (relevance, 0 to 1). Until version 0.1 it was recorded instead
 * of `KnowledgeRetrieved`.
 */
export type KnowledgeRetrievalMiss = Event<'KnowledgeRetrievalMiss', RetrievalRecordData & { floor: number }>;

export type RetrievalEvent = KnowledgeRetrieved | KnowledgeRetrievalMiss;

/** The projections that read each type. */
export const RETRIEVAL_READERS = {
  KnowledgeRetrieved: ['retrievals-today', 'canary-comparison', 'search-times', 'event-views'],
  KnowledgeRetrievalMiss: ['retrievals-today', 'event-views'],
} as const satisfies ReadersOf<RetrievalEvent>;
