import type { CanaryCheck } from '../values/canary-strings.ts';
import type { ChunkId, DocumentId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import type { QueryWindow } from './cutover.ts';
import type { Event } from './event.ts';

export type EvaluationVerdict = 'not-worse' | 'worse' | 'undecided';
/** Judged queries of people, or passages of chunks whose own document is the relevant one. */
export type QuerySource = 'golden' | 'self';

/** One measure over the queries of one source: `before` is the active generation, `after` the evaluated one. */
export type EvaluationMeasure = Readonly<{
  source: QuerySource;
  measure: string;
  queries: number;
  before: number;
  after: number;
  difference: number;
  /** Bootstrap interval of the difference at 95 %. */
  interval: readonly [number, number];
  p: number;
  smallestDetectableEffect: number;
  verdict: EvaluationVerdict;
  /** How many more queries would probably decide it. Only if it is undecided. */
  additionalQueries?: number;
  /** Number of queries that got better, and worse. */
  better: number;
  worse: number;
}>;

/** How alike the results of both sides are, over all queries of one kind or of several. `scoreShift`, `rankShift`: means of after - before. */
export type EvaluationAgreement = Readonly<{ overlap: number; rbo: number; scoreShift: number; rankShift: number }>;
/**
 * How the results of past queries changed: those that callers asked earlier, from retrieval records of a tenant that lets the platform
 * record queries. They have no judgements and never decide.
 */
export type EvaluationPast = Readonly<{
  /** When they were recorded; missing if the newest ones were asked. */
  window?: QueryWindow;
  /** Different queries that were searched on both sides. */
  used: number;
  /** Records of searches of the scope whose query is not recorded, no longer opens, or is refused by a model. */
  leftOut: number;
  /** Queries without a document whose score reaches the `minScore` that the caller set. */
  withoutResults: Readonly<{ before: number; after: number }>;
  agreement?: EvaluationAgreement;
  /** Medians of the score of the best document. */
  bestScore?: Readonly<{ before: number; after: number }>;
}>;
/**
 * For floors of scores (`minScore`) with the old model, those that keep the same share of the first ten documents with the new one. `basis`:
 * judged and past queries, or passages of chunks if there are too few of them. `results`: how many results of the old model the floor keeps
 * or leaves out, whichever is rarer; evaluations before this field was introduced lack it.
 */
export type EvaluationFloors = Readonly<{
  basis: 'people' | 'passages';
  queries: number;
  floors: readonly Readonly<{ before: number; after: number; share: number; results?: number }>[];
}>;
/** One past query, by its newest retrieval record. */
export type PastQueryChange = Readonly<{ traceId: string; overlap: number; rbo: number }>;
/** Milliseconds to embed and search one query. */
export type EvaluationLatency = Readonly<{ p50: number; p95: number }>;

/**
 * Numbers of one query. A golden query is named by its set; a self-query by the chunk and by the place of its words in the text of the
 * chunk. The text itself is never recorded. `documents`: the results of both sides, for the queries that changed most.
 */
export type EvaluatedQuery = Readonly<
  (
    | { source: 'golden'; set: string; version: number; id: string }
    | { source: 'self'; chunkId: ChunkId; documentId: DocumentId; start: number; end: number }
  ) & {
    before: number;
    after: number;
    documents?: Readonly<{ before: readonly DocumentId[]; after: readonly DocumentId[] }>;
  }
>;

/** Why the verdict is what it is: a sentence that names figures and ids, and never content. */
export type GenerationEvaluated = Event<
  'GenerationEvaluated',
  {
    scope: VectorScope;
    generation: GenerationId;
    /** The generation that it was compared with, which was active. */
    against: GenerationId;
    verdict: EvaluationVerdict;
    reasons: readonly string[];
    /** What decided: `faults` are missing or wrong vectors, or an evaluation that could not be completed. */
    decidedBy: QuerySource | 'faults';
    additionalQueries?: number;
    margin: number;
    seed: number;
    /** Positions of the log at the first and the last query; each query was searched on both sides at one position. */
    from: string;
    upTo: string;
    measures: readonly EvaluationMeasure[];
    /** `unexplained`: chunks without a vector that the model did not refuse. */
    coverage: Readonly<{ chunks: number; refused: number; unexplained: number }>;
    /** Judged queries: how many were used, synthetic ones that were left out, and those without a relevant document that exists. */
    golden: Readonly<{ used: number; synthetic: number; unusable: number }>;
    /** Queries that were left out because the read models moved on during each attempt. */
    unsettled: number;
    /** Over judged queries and self-queries. */
    agreement?: EvaluationAgreement;
    /** Missing if the tenant does not let the platform record queries. */
    past?: EvaluationPast;
    /** Missing with too few queries. */
    scoreFloors?: EvaluationFloors;
    latency?: Readonly<{ before: EvaluationLatency; after: EvaluationLatency }>;
    /** Chunks that were embedded again and compared; `lowest`: the lowest cosine between the new vector and the stored one. */
    spotCheck: Readonly<{ checked: number; mismatched: number; lowest?: number }>;
    /** The model of the generation still was the same. Missing if its files have a digest: then it cannot change under its name. */
    canaryStrings?: CanaryCheck;
    evaluatedAt: string;
    by: 'person' | 'platform';
    // Sealed, since they name or describe content; at most 100 of each list of faults. Of very many queries, those that changed most.
    queries: readonly EvaluatedQuery[];
    sets: readonly Readonly<{ name: string; version: number; queries: number }>[];
    refused: readonly Readonly<{ chunkId: ChunkId; reason: string }>[];
    unexplained: readonly ChunkId[];
    mismatched: readonly Readonly<{ chunkId: ChunkId; cosine: number }>[];
    missingDocuments: readonly DocumentId[];
    /** The past queries whose results differ most, at most 100. */
    pastQueries?: readonly PastQueryChange[];
  }
>;
