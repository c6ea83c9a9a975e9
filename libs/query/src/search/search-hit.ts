import type { ChunkId, ChunkText, DocumentId, KnowledgeBaseId, Labels, Origin, SourceId, VectorScope, VisibleChunk } from '@palimpsest/knowledge';

import { cutSnippet } from '../ranking/cut-snippet.ts';
import type { Explanation, FusedHit } from '../ranking/fusion.ts';
import type { SearchRequest } from './search-request.ts';

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
  /** From 0 to 1: the cosine similarity, or 1 when only words matched. The hits are not ordered by it. */
  relevance: number;
  index: number;
  of: number;
  page?: number;
  lines: readonly [from: number, to: number];
  headings: readonly string[];
  origin: Origin;
  labels: Labels;
  language: string;
  explain?: HitExplanation;
}>;

export type HitExplanation = Readonly<{
  fusion: Explanation;
  dense?: Readonly<{ rank: number; score: number }>;
  lexical?: Readonly<{ rank: number; score: number; terms: readonly string[] }>;
  /** The document version that made the chunk visible. */
  document: Readonly<{ version: number; indexedAt: string }>;
}>;

/** Combines a fused candidate with the data of its document and its unsealed text. */
export const hitOf = (
  rank: number,
  fused: FusedHit,
  chunk: VisibleChunk,
  { text, contextPrefix, headings }: ChunkText,
  terms: readonly string[],
  request: SearchRequest,
): SearchHit => {
  const { chunkId, documentId, knowledgeBase, scope, sourceId: source, title, index, of, page, fromLine, toLine, origin, labels, language } = chunk;
  return {
    rank, chunkId, documentId, knowledgeBase, scope, source, title, citation: citationOf(chunk), text, contextPrefix,
    snippet: snippetOf(text, terms, request),
    score: fused.score,
    relevance: Math.max(0, fused.dense?.score ?? 1),
    index, of,
    ...(page === undefined ? {} : { page }),
    lines: [fromLine, toLine], headings, origin, labels, language,
    ...(request.explain ? { explain: explain(fused, chunk, terms) } : {}),
  };
};

const citationOf = ({ title, page, index, of }: Pick<VisibleChunk, 'title' | 'page' | 'index' | 'of'>): string =>
  `${title}${page === undefined ? '' : `, p. ${page}`}, Chunk ${index + 1} of ${of}`;

/** Without stems from the lexical index, the words of the query are used, so that a dense-only search has highlights too. */
const snippetOf = (text: string, terms: readonly string[], { query, snippetChars }: SearchRequest): SearchHit['snippet'] => {
  const cut = cutSnippet(text, terms.length > 0 ? terms : query.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word.length > 3), snippetChars);
  return { text: cut.text, highlights: cut.highlights };
};

const explain = ({ explained, dense, lexical }: FusedHit, { version, indexedAt }: VisibleChunk, terms: readonly string[]): HitExplanation => ({
  fusion: explained(),
  ...(dense === undefined ? {} : { dense: { rank: dense.rank, score: dense.score } }),
  ...(lexical === undefined ? {} : { lexical: { rank: lexical.rank, score: lexical.score, terms } }),
  document: { version, indexedAt },
});
