import type { Labels, Origin, Position } from './documents.ts';

export type Strategy = 'DenseSparseHybrid' | 'DenseOnly' | 'SparseOnly';

type Scalar = string | number | boolean;

/** A condition on the metadata of a chunk (`label.<name>`, `origin`, `language`, …), with one operator per object. */
export type Filter =
  | Readonly<{ and: readonly Filter[] }>
  | Readonly<{ or: readonly Filter[] }>
  | Readonly<{ not: Filter }>
  | Readonly<{ eq: Readonly<{ field: string; value: Scalar }> }>
  | Readonly<{ in: Readonly<{ field: string; values: readonly Scalar[] }> }>
  | Readonly<{ prefix: Readonly<{ field: string; value: string }> }>
  | Readonly<{ exists: Readonly<{ field: string }> }>
  | Readonly<{ range: Readonly<{ field: string; gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }> }>;

export type SearchRequest = Readonly<{
  query: string;
  knowledgeBases?: readonly string[] | undefined;
  scopes?: readonly string[] | undefined;
  /** Number of results. Default 10, for a context 20; at most 100. */
  topK?: number | undefined;
  /** Default `DenseSparseHybrid`. */
  strategy?: Strategy | undefined;
  /** How the results of both searches are combined. Default `zscore`: the sum of the standard scores of a chunk in each search. */
  fusion?: 'zscore' | 'rrf' | 'weighted' | 'simple' | undefined;
  minScore?: number | undefined;
  /** Language of the query, a BCP 47 tag. Default: the language among those of the searched texts that fits the query best. */
  language?: string | undefined;
  filter?: Filter | undefined;
  origins?: readonly Origin[] | undefined;
  explain?: boolean | undefined;
  /** Search only a state that includes this position. */
  atLeast?: Position | undefined;
  snippetChars?: number | undefined;
}>;

export type Hit = Readonly<{
  chunkId: string;
  documentId: string;
  knowledgeBase: string;
  scope: string;
  source: string;
  title: string;
  /** The source in readable form, for example `Handbook, p. 3, Chunk 2 of 9`. */
  citation: string;
  text: string;
  contextPrefix: string;
  /** `highlights` are pairs of offsets into `snippet.text`. */
  snippet: Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;
  /** Results are ordered by it, highest first. Comparable only within one response. */
  score: number;
  /** From 0 to 1: the cosine similarity, or 1 if only words matched. Results are not ordered by it. */
  relevance: number;
  /** Rank of the result, from 1. */
  rank: number;
  index: number;
  of: number;
  page?: number;
  /** First and last line in the document, from 1. */
  lines: readonly [from: number, to: number];
  headings: readonly string[];
  origin: Origin;
  labels: Labels;
  language: string;
  /** Only on request: ranks and scores in each stage, matched terms, and when the document became visible. */
  explain?: HitExplanation;
}>;

/** A value and its components. */
export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;

export type HitExplanation = Readonly<{
  /** `value` is the score of the result; its parts are the contributions of each search. */
  fusion: Explanation;
  dense?: Readonly<{ rank: number; score: number }>;
  /** `terms`: the words that matched, as they are in the index. */
  lexical?: Readonly<{ rank: number; score: number; terms: readonly string[] }>;
  /** The rank and score of the result in each stage that ranked it, by the name of the stage. */
  stages: Readonly<Record<string, Readonly<{ rank: number; score: number }>>>;
  /** Stages that exceeded their time budget and were skipped, with the reason. */
  skipped?: Readonly<Record<string, string>>;
  /** The version of the document, and when it became visible. */
  document: Readonly<{ version: number; indexedAt: string }>;
}>;

/** `note`: why a stage was skipped. */
export type Timings = Readonly<{ totalMs: number; stages: readonly Readonly<{ stage: string; ms: number; candidates: number; note?: string }>[] }>;

/** The tenant may not use the requested strategy, so another one was used. */
export type Downgrade = Readonly<{ asked: Strategy; used: Strategy; tier?: string; detail: string }>;

export type SearchResult = Readonly<{
  hits: readonly Hit[];
  downgraded?: Downgrade;
  position: Position;
  traceId: string;
  /** For operators only. */
  timings?: Timings;
}>;

export type Grounding = 'Permissive' | 'Preferred' | 'StrictlyGrounded';

export type ContextRequest = SearchRequest &
  Readonly<{
    /** Default 2000. */
    maxTokens?: number | undefined;
    /** Default `Preferred`. */
    grounding?: Grounding | undefined;
  }>;

export type Citation = Readonly<{
  /** The label in the text, for example `[Doc Handbook, Chunk 2 of 9]`. */
  label: string;
  chunkId: string;
  documentId: string;
  source: string;
  title: string;
  index: number;
  of: number;
  relevance: number;
  /** True if only the beginning of the chunk fitted into the budget. */
  truncated: boolean;
}>;

/** Text for a prompt, with its citations. */
export type ContextResult = Readonly<{
  text: string;
  /**
   * A random marker, new for each request. Only lines of `text` that contain it begin or end an excerpt; the text between them is quoted.
   */
  fence: string;
  citations: readonly Citation[];
  leftOut: readonly Readonly<{ chunkId: string; reason: 'irrelevant' | 'duplicate' | 'budget' }>[];
  tokens: number;
  /** True if nothing relevant was found. */
  miss: boolean;
  /** True if nothing was found and the grounding forbids an answer in that case. */
  refuse: boolean;
  downgraded?: Downgrade;
  position: Position;
  traceId: string;
  /** For operators only. */
  timings?: Timings;
}>;
