import type { VisibleChunk } from '@palimpsest/knowledge/read-models';
import type {
  ChunkId,
  DocumentId,
  EmbeddingVersion,
  GenerationId,
  KnowledgeBaseId,
  Labels,
  Origin,
  SourceId,
  VectorScope,
} from '@palimpsest/knowledge/values';
import { cutSnippet } from '../ranking/cut-snippet.ts';
import type { Explanation, Ranking } from '../ranking/fusion.ts';
import type { Evidence } from '../ranking/relevance.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { Around, OpenedHit, Similar } from './opened-hit.ts';
import type { StageRanking } from './ranked-hit.ts';

export type SearchHit = Readonly<{
  rank: number;
  chunkId: ChunkId;
  documentId: DocumentId;
  knowledgeBase: KnowledgeBaseId;
  scope: VectorScope;
  /** The source of the document, as named by its owner. */
  source: SourceId;
  title: string;
  /** For people and prompts: `Handbook, p. 3, Chunk 2 of 9`. */
  citation: string;
  text: string;
  contextPrefix: string;
  snippet: Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;
  /** The hits are ordered by this, highest first: the fused score, or that of a single search. Comparable within one response. */
  score: number;
  /** From 0 to 1: how probable it is that the passage is what the query looks for. The hits are not ordered by it. */
  relevance: number;
  index: number;
  of: number;
  page?: number;
  lines: readonly [from: number, to: number];
  headings: readonly string[];
  origin: Origin;
  labels: Labels;
  language: string;
  /** Only if the hit stands for others. */
  similar?: Similar;
  /** In the order of the document. Only if the search asked for them. */
  around?: readonly Around[];
  explain?: HitExplanation;
}>;

export type HitExplanation = Readonly<{
  fusion: Explanation;
  /** What the relevance is computed from. */
  relevance: Evidence;
  dense?: Ranking;
  lexical?: Ranking & Readonly<{ terms: readonly string[] }>;
  /** The rank and score of the hit in each stage that ranked it. */
  stages: Readonly<Record<string, StageRanking>>;
  /** The stages that exceeded their time budget, with the reason. */
  skipped?: Readonly<Record<string, string>>;
  /** The generation of the scope that was searched. `canary`: it serves a share of the callers before its cut-over. */
  generation: SearchedGeneration;
  /** The document version that made the chunk visible. */
  document: Readonly<{ version: number; indexedAt: string }>;
}>;

export type SearchedGeneration = Readonly<{ generation: GenerationId; embeddingVersion: EmbeddingVersion; canary?: true }>;

type Shown = Pick<SearchRequest, 'query' | 'snippetChars' | 'explain'> &
  Readonly<{ skipped: Readonly<Record<string, string>>; generation: SearchedGeneration }>;

/** Combines an opened hit with the data of its document. `terms`: the words that matched, as they are in the index. */
export const hitOf = (rank: number, hit: OpenedHit, terms: readonly string[], shown: Shown): SearchHit => {
  const {
    chunk,
    text: { text, contextPrefix, headings },
    score,
    relevance,
    similar,
  } = hit;
  const {
    chunkId,
    documentId,
    knowledgeBase,
    scope,
    sourceId: source,
    title,
    index,
    of,
    page,
    fromLine,
    toLine,
    origin,
    labels,
    language,
  } = chunk;
  return {
    rank,
    chunkId,
    documentId,
    knowledgeBase,
    scope,
    source,
    title,
    citation: citationOf(chunk),
    text,
    contextPrefix,
    snippet: snippetOf(text, terms, shown),
    score,
    relevance,
    index,
    of,
    ...(page === undefined ? {} : { page }),
    lines: [fromLine, toLine],
    headings,
    origin,
    labels,
    language,
    ...(similar === undefined ? {} : { similar }),
    ...(hit.around === undefined ? {} : { around: hit.around }),
    ...(shown.explain ? { explain: explain(hit, terms, shown) } : {}),
  };
};

const citationOf = ({ title, page, index, of }: VisibleChunk): string =>
  `${title}${page === undefined ? '' : `, p. ${page}`}, Chunk ${index + 1} of ${of}`;

/** Without stems from the lexical index, the words of the query are used, so that a dense-only search has highlights too. */
const snippetOf = (text: string, terms: readonly string[], { query, snippetChars }: Shown): SearchHit['snippet'] => {
  const cut = cutSnippet(
    text,
    terms.length > 0 ? terms : query.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word.length > 3),
    snippetChars,
  );
  return { text: cut.text, highlights: cut.highlights };
};

const explain = (
  { explained, evidence, stages, chunk: { version, indexedAt } }: OpenedHit,
  terms: readonly string[],
  { skipped, generation }: Shown,
): HitExplanation => {
  const { dense, lexical } = stages;
  return {
    fusion: explained(),
    relevance: evidence,
    ...(dense === undefined ? {} : { dense: placeOf(dense) }),
    ...(lexical === undefined ? {} : { lexical: { ...placeOf(lexical), terms } }),
    stages: Object.fromEntries(
      Object.entries(stages).flatMap(([stage, ranking]) => (ranking === undefined ? [] : [[stage, placeOf(ranking)]])),
    ),
    ...(Object.keys(skipped).length === 0 ? {} : { skipped }),
    generation,
    document: { version, indexedAt },
  };
};

/** Without what only fusion needs. */
const placeOf = ({ rank, score, note }: StageRanking): StageRanking => ({ rank, score, ...(note === undefined ? {} : { note }) });
