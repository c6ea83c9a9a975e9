import type { KnowledgeBaseId } from '../values/ids.ts';
import type { ModelLimits } from '../values/model.ts';
import type { PlanId } from '../values/plan-id.ts';
import type { Recipe } from '../values/recipe.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Cutover } from './cutover.ts';
import type { Event } from './event.ts';

/** The API key that planned or approved, and the person to whom it belongs, if it names one. */
export type PlanAuthor = Readonly<{ actor: string; user?: string }>;

/**
 * `counted`: every text, with the tokenizer of the model. `sampled`: a sample of the texts, with that tokenizer. `estimated`: the model
 * has no tokenizer here; the estimate was adjusted by what the model reported for the embedded sample, if it was asked.
 */
export type TokenMethod = 'counted' | 'sampled' | 'estimated';

/**
 * `texts`: tokens of all texts. `embedded`: those that the model will read: only chunks without a reusable vector, and with the overlaps
 * of windows and special tokens as far as the embedded sample shows them. `error`: half of the 95 % interval as a share of `texts`, by the sample.
 */
export type PlannedTokens = Readonly<{
  texts: number;
  embedded: number;
  method: TokenMethod;
  tokenizer: string;
  /** Chunks whose text was read. */
  read: number;
  error?: number;
}>;

/** Chunks that have a vector of the model on the log. Unless `exact`, from the documents of a sample. */
export type ReusableVectors = Readonly<{ chunks: number; exact: boolean }>;

/**
 * Documents that were chunked again to count what another chunking gives. `present`: chunks that the scope has now. `kept`: those of them that would keep their chunks. Unless
 * `exact`, they are a sample; `error`: half of the 95 % interval as a share of `chunks`.
 */
export type RechunkedDocuments = Readonly<{ present: number; read: number; kept: number; exact: boolean; error?: number }>;

/** `refused`: chunks of the sample that the model rejects. `limitedBy`: what decides: the speed of the model in the sample, or a limit per minute of the installation. */
export type PlannedTime = Readonly<{
  seconds: number;
  sampledChunks: number;
  sampleSeconds: number;
  refused: number;
  limitedBy: 'model' | 'tokensPerMinute' | 'requestsPerMinute';
}>;

/** Bytes of the second generation. `memory`, `disk`: missing if the index cannot say, for example because it is a server. */
export type PlannedBytes = Readonly<{ vectors: number; memory?: number; disk?: number }>;

export type KnowledgeBasePart = Readonly<{ knowledgeBase: KnowledgeBaseId; documents: number; chunks: number; tokens: number }>;

/** What a swap of the scope would take. Nothing is started. */
export type SwapPlanned = Event<
  'SwapPlanned',
  {
    scope: VectorScope;
    plan: PlanId;
    /** The generation that would be built. */
    recipe: Recipe;
    cutover: Cutover;
    limits: ModelLimits;
    /** US dollars for one million tokens, and for the whole swap. Missing if the price is unknown. */
    pricePerMillionTokens?: number;
    cost?: number;
    documents: number;
    chunks: number;
    tokens: PlannedTokens;
    reusable: ReusableVectors;
    /** If the chunking changes. Missing in plans of earlier versions, which counted the present chunks. */
    rechunked?: RechunkedDocuments;
    /** Missing if no sample was embedded. */
    time?: PlannedTime;
    bytes: PlannedBytes;
    seed: number;
    /** The position of the log up to which the read models were counted. */
    upTo: string;
    plannedAt: string;
    by: PlanAuthor;
    /** Sealed: the names of knowledge bases say something about their content. */
    knowledgeBases: readonly KnowledgeBasePart[];
  }
>;

/** Another person agrees that this plan is started. */
export type SwapPlanApproved = Event<'SwapPlanApproved', { scope: VectorScope; plan: PlanId; approvedAt: string; by: PlanAuthor }>;
