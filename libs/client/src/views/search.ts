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
  /** Default 10; of a context 20. At most 100. */
  topK?: number | undefined;
  /** Default `DenseSparseHybrid`. */
  strategy?: Strategy | undefined;
  /** How both searches become one order. Default `zscore`: the sum of how far a chunk stands out in each. */
  fusion?: 'zscore' | 'rrf' | 'weighted' | 'simple' | undefined;
  minScore?: number | undefined;
  /** Of the query, a BCP 47 tag. Default: the one of the searched texts that fits it best. */
  language?: string | undefined;
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
  scope: string;
  source: string;
  title: string;
  /** For people: `Handbook, p. 3, Chunk 2 of 9`. */
  citation: string;
  text: string;
  contextPrefix: string;
  /** `highlights` are pairs of offsets into `snippet.text`. */
  snippet: Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;
  /** What the hits are ordered by, the highest first; comparable within one answer. */
  score: number;
  /** From 0 to 1: the cosine similarity, or 1 when only the words matched. Not what the hits are ordered by. */
  relevance: number;
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
  language: string;
  /** Only when asked for: ranks and scores in each stage, matched terms, when it became visible. */
  explain?: HitExplanation;
}>;

/** A value, and the parts that it is made of. */
export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;

export type HitExplanation = Readonly<{
  /** `value` is the hit's score; its parts say what each search gave to it. */
  fusion: Explanation;
  dense?: Readonly<{ rank: number; score: number }>;
  /** `terms`: the words that matched, as the index holds them. */
  lexical?: Readonly<{ rank: number; score: number; terms: readonly string[] }>;
  /** When what it shows became visible. */
  document: Readonly<{ version: number; indexedAt: string }>;
}>;

export type Timings = Readonly<{ totalMs: number; stages: readonly Readonly<{ stage: string; ms: number; candidates: number }>[] }>;

/** Another strategy was used than the one that was asked for, since the tenant may not use that. */
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
  /** As it stands in the text: `[Doc Handbook, Chunk 2 of 9]`. */
  label: string;
  chunkId: string;
  documentId: string;
  source: string;
  title: string;
  index: number;
  of: number;
  relevance: number;
  /** Only the beginning of the chunk fits. */
  truncated: boolean;
}>;

/** Text for a prompt, with the citations that it uses. */
export type ContextResult = Readonly<{
  text: string;
  /** New for each request: only lines of `text` that hold it begin or end an excerpt; what stands between them is quoted. */
  fence: string;
  citations: readonly Citation[];
  leftOut: readonly Readonly<{ chunkId: string; reason: 'irrelevant' | 'duplicate' | 'budget' }>[];
  tokens: number;
  /** Little or nothing was found. */
  miss: boolean;
  /** Nothing was found, and the grounding forbids an answer then. */
  refuse: boolean;
  downgraded?: Downgrade;
  position: Position;
  traceId: string;
  /** For operators only. */
  timings?: Timings;
}>;
