import type { Labels, Origin, Position } from './documents.ts';

export type Strategy = 'DenseSparseHybrid' | 'DenseOnly' | 'SparseOnly';

type Scalar = string | number | boolean;

/** A condition over what lies beside a chunk (`label.<name>`, `origin`, `language`, …): one operator per object. */
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
  /** Default 10. */
  topK?: number | undefined;
  /** Default `DenseSparseHybrid`. */
  strategy?: Strategy | undefined;
  /** Default `rrf`. */
  fusion?: 'rrf' | 'weighted' | undefined;
  minScore?: number | undefined;
  filter?: Filter | undefined;
  origins?: readonly Origin[] | undefined;
  explain?: boolean | undefined;
  /** Answer only from a state that holds this position. */
  atLeast?: Position | undefined;
  snippetChars?: number | undefined;
}>;

export type Hit = Readonly<{
  chunkId: string;
  documentId: string;
  knowledgeBase: string;
  source: string;
  title: string;
  /** Ready to be shown: `[Doc …, Chunk 1 of 5]`. */
  citation: string;
  text: string;
  /** `highlights` are pairs of offsets into `snippet.text`. */
  snippet: Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;
  score: number;
  /** From 1. */
  rank: number;
  index: number;
  of: number;
  page?: number;
  /** First and last line in the document, from 1. */
  lines: readonly [from: number, to: number];
  headings: readonly string[];
  origin: Origin;
  labels: Labels;
  /** Only when asked for; its shape belongs to the strategy. */
  explain?: unknown;
}>;

export type StageTiming = Readonly<{ stage: string; ms: number; candidates: number }>;

export type SearchResult = Readonly<{
  hits: readonly Hit[];
  position: Position;
  traceId: string;
  timings: Readonly<{ totalMs: number; stages: readonly StageTiming[] }>;
}>;

export type Grounding = 'Permissive' | 'Preferred' | 'StrictlyGrounded';

export type ContextRequest = SearchRequest &
  Readonly<{
    /** Default 2000. */
    maxTokens?: number | undefined;
    /** Default `Preferred`. */
    grounding?: Grounding | undefined;
  }>;

/** Text for a prompt, with the citations that it uses. */
export type ContextResult = Readonly<{
  text: string;
  citations: readonly Readonly<{ label: string; chunkId: string; documentId: string; source: string }>[];
  /** How many hits did not fit. */
  leftOut: number;
  tokens: number;
  grounded: boolean;
  position: Position;
  traceId: string;
}>;
